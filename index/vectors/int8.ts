/** Quantisation: rows become int8 with one scale each, a quarter of the size; queries become int16. */

import { IndexError } from '../errors.ts';

/** Largest stored component. −128 is unused, so the range is symmetric. */
const ROW_LIMIT = 127;
/** Largest component of a query. */
const QUERY_LIMIT = 32_767;
/** Largest signed 32-bit sum. */
const SUM_LIMIT = 2 ** 31 - 1;

/** Rows of int8: component i of row r means `values[r × d + i] × scales[r]`. */
export interface Quantized {
  /** `Int8Array[n × d]`, row-major. */
  readonly values: Int8Array;
  /** `Float32Array[n]`, positive; 0 for a row of zeros. */
  readonly scales: Float32Array;
}

/**
 * Quantises each row symmetrically. With s = max |x| / 127, each component is rounded to a multiple of s. Then the
 * scale is set so that the row keeps its length, and cosines stay within 1. The error ‖x − x̂‖ is at most s·√d (half
 * from rounding, half from restoring the length), which bounds the error of an inner product with a unit vector. For a
 * typical unit row of 256 dimensions that error is 0.0005.
 *
 * Throws `INDEX_INPUT` if a component is not finite or the array is not a whole number of rows.
 */
export function quantize(vectors: Float32Array, dimensions: number): Quantized {
  if (!Number.isInteger(dimensions) || dimensions < 1 || vectors.length % dimensions !== 0)
    throw new IndexError(
      'INDEX_INPUT',
      `${vectors.length} numbers are not a whole number of vectors of ${dimensions} dimensions.`,
    );
  const rows = vectors.length / dimensions;
  const values = new Int8Array(vectors.length);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const from = row * dimensions;
    const to = from + dimensions;
    const largest = magnitude(vectors, from, to);
    if (largest === 0) continue;
    const factor = ROW_LIMIT / largest;
    let squares = 0;
    let storedSquares = 0;
    for (let at = from; at < to; at += 1) {
      const value = vectors[at]!;
      const stored = Math.round(value * factor);
      values[at] = stored;
      squares += value * value;
      storedSquares += stored * stored;
    }
    scales[row] = Math.sqrt(squares / storedSquares);
  }
  return { values, scales };
}

/**
 * Writes the query as int16 into `target` and returns its scale, 0 for a query of zeros. If rows are padded, `target`
 * is longer than the query and the rest becomes 0. A component's rounding error is at most half the scale, about 10⁻⁵.
 * That is negligible next to the rows' error, so results need no second, exact scoring.
 *
 * The limit shrinks with the length of a row, so `Σ row[i] · query[i]` always fits into 32 bits. Throws `INDEX_INPUT`
 * if a component is not finite.
 */
export function quantizeQuery(query: Float32Array, target: Int16Array): number {
  const largest = magnitude(query, 0, query.length);
  target.fill(0, query.length);
  if (largest === 0) {
    target.fill(0);
    return 0;
  }
  const limit = Math.min(QUERY_LIMIT, Math.floor(SUM_LIMIT / (ROW_LIMIT * target.length)));
  for (let at = 0; at < query.length; at += 1) target[at] = Math.round((query[at]! / largest) * limit);
  return largest / limit;
}

/** max |x| over a range. */
function magnitude(vectors: Float32Array, from: number, to: number): number {
  let largest = 0;
  // A sum propagates NaN and Infinity; a maximum by comparison would ignore NaN.
  let sum = 0;
  for (let at = from; at < to; at += 1) {
    const size = Math.abs(vectors[at]!);
    if (size > largest) largest = size;
    sum += size;
  }
  if (!Number.isFinite(sum))
    throw new IndexError('INDEX_INPUT', 'A vector contains NaN or Infinity: check the embedder.');
  return largest;
}
