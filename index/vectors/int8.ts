/** Vectors in a quarter of the space: rows become int8 with one scale each, queries int16. What is stored is final. */

import { IndexError } from '../errors.ts';

/** Largest value of a stored component. −128 is left unused, so that the range is symmetric. */
const ROW_LIMIT = 127;
/** Largest value of a query's component. */
const QUERY_LIMIT = 32_767;
/** Largest sum that fits into 32 bits. */
const SUM_LIMIT = 2 ** 31 - 1;

/** Rows of int8: component i of row r stands for `values[r × d + i] × scales[r]`. */
export interface Quantized {
  /** `Int8Array[n × d]`, row-major. */
  readonly values: Int8Array;
  /** `Float32Array[n]`, positive; 0 for a row of zeros. */
  readonly scales: Float32Array;
}

/**
 * Quantises rows one by one, symmetrically. With s = max |x| / 127 each component is rounded to a multiple of s, then
 * the scale is set so that the row keeps its length: cosines stay within 1. The error ‖x − x̂‖ is at most s·√d (half
 * from rounding, half from restoring the length), so no inner product with a unit vector is off by more; for 256
 * dimensions of a typical unit row it is 0.0005.
 *
 * Throws `INDEX_INPUT` where a component is not finite or the array holds no whole number of rows.
 */
export function quantize(vectors: Float32Array, dimensions: number): Quantized {
  if (!Number.isInteger(dimensions) || dimensions < 1 || vectors.length % dimensions !== 0)
    throw new IndexError(
      'INDEX_INPUT',
      `${vectors.length} numbers are no whole number of vectors of ${dimensions} dimensions.`,
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
 * Writes the query as int16 into `target` (longer than the query where rows are padded: the rest becomes 0) and
 * returns its scale, 0 for a query of zeros. The rounding error of a component is at most half the scale, some 10⁻⁵:
 * next to that of the rows it does not show, which is why results need no second, exact scoring.
 *
 * The limit shrinks with the length of a row so that `Σ row[i] · query[i]` always fits into 32 bits.
 * Throws `INDEX_INPUT` where a component is not finite.
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

/** max |x| of a stretch. */
function magnitude(vectors: Float32Array, from: number, to: number): number {
  let largest = 0;
  // A sum keeps NaN and Infinity that a maximum of comparisons would pass over.
  let sum = 0;
  for (let at = from; at < to; at += 1) {
    const size = Math.abs(vectors[at]!);
    if (size > largest) largest = size;
    sum += size;
  }
  if (!Number.isFinite(sum))
    throw new IndexError('INDEX_INPUT', 'A vector holds NaN or Infinity: its embedder is at fault.');
  return largest;
}
