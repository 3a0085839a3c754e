/** Vectors of floats: their product and their length. */

/** Dot product of two vectors of one length: their cosine, if both have length 1. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}

/** 1 / ‖v‖, or 0 for the zero vector. */
export function inverseLength(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares > 0 ? 1 / Math.sqrt(squares) : 0;
}

/** Scales a vector in place to length 1; zeros stay zeros. */
export function toUnitLength(vector: Float32Array): void {
  const scale = inverseLength(vector);
  if (scale === 0) return;
  for (let at = 0; at < vector.length; at += 1) vector[at]! *= scale;
}
