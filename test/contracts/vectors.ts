/** Deterministic test vectors, clustered like embeddings. */

/** `rows` unit vectors around one centre for each fifty rows: `Float32Array[rows × dimensions]`. */
export function mixture(rows: number, dimensions: number): Float32Array {
  let state = 7;
  const random = () => {
    // Linear congruential generator of Numerical Recipes: 32 bits are random enough for point clouds.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const centres = Float32Array.from({ length: Math.ceil(rows / 50) * dimensions }, random);
  const vectors = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row += 1) {
    const centre = Math.floor(row / 50) * dimensions;
    const own = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    for (let at = 0; at < dimensions; at += 1) own[at] = centres[centre + at]! + 0.5 * random();
    const length = Math.hypot(...own);
    for (let at = 0; at < dimensions; at += 1) own[at]! /= length;
  }
  return vectors;
}
