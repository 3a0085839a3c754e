/** Token vectors → one vector of unit length per text. */

import type { Pooling } from './families.ts';

/** A model's output for a batch. */
export interface TokenVectors {
  /** `Float32Array[texts × tokens × d]`, row-major. */
  readonly values: Float32Array;
  readonly texts: number;
  readonly tokens: number;
  readonly dimensions: number;
}

/**
 * Pools the tokens that `mask` (texts × tokens, 0 for padding, on either side) marks. Returns `Float32Array[texts ×
 * d]`, rows of unit length; zeros for a text without tokens. NaN only if the model returned NaN.
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
    // The mean differs from the sum only by its length, which is normalised here.
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
