/** Vectors of tokens → one vector of unit length for each text. */

import type { Pooling } from './families.ts';

/** What a model gave for a batch. */
export interface TokenVectors {
  /** `Float32Array[texts × tokens × d]`, row-major. */
  readonly values: Float32Array;
  readonly texts: number;
  readonly tokens: number;
  readonly dimensions: number;
}

/**
 * Pools the tokens that `mask` (texts × tokens, 0 for padding, on either side) says are there. `Float32Array[texts × d]`,
 * rows of unit length; zeros for a text without tokens. NaN only where the model gave NaN.
 */
export function pooled(
  vectors: TokenVectors,
  mask: ArrayLike<number | bigint>,
  pooling: Pooling,
): Float32Array {
  const { values, texts, tokens, dimensions } = vectors;
  const out = new Float32Array(texts * dimensions);
  for (let text = 0; text < texts; text += 1) {
    let there = Array.from({ length: tokens }, (_, token) => token).filter(
      (token) => Number(mask[text * tokens + token]) !== 0,
    );
    if (pooling === 'cls') there = there.slice(0, 1);
    if (pooling === 'last') there = there.slice(-1);
    const row = out.subarray(text * dimensions, (text + 1) * dimensions);
    for (const token of there) {
      const from = (text * tokens + token) * dimensions;
      for (let at = 0; at < dimensions; at += 1) row[at]! += values[from + at]!;
    }
    // The mean differs from the sum by its length only, which is set here.
    toUnitLength(row);
  }
  return out;
}

/** Scales a vector in place to length 1; zeros stay zeros. */
export function toUnitLength(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at += 1) vector[at]! *= scale;
}
