/** One summary vector for a whole document, which the first pass of a search compares. */

import type { Passage } from '../passage.ts';
import { inverseLength } from '../vectors/float.ts';

/**
 * `Float32Array[d]`, unit length: the sum of the card's vector and the mean direction of the body passages, in equal
 * parts. The card says what a document is for, the body what it does, and one comparison covers both. References are
 * left out, because a long manual would dominate its skill. All zeros if no passage has a vector.
 */
export function documentVector(
  vectors: Float32Array,
  passages: readonly Pick<Passage, 'kind'>[],
  dimensions: number,
): Float32Array {
  const card = vectors.subarray(0, dimensions);
  const body = new Float32Array(dimensions);
  passages.forEach((passage, row) => {
    if (passage.kind !== 'body') return;
    for (let at = 0; at < dimensions; at += 1) body[at]! += vectors[row * dimensions + at]!;
  });
  const bodyScale = inverseLength(body);
  const sum = Float32Array.from(card, (value, at) => value + body[at]! * bodyScale);
  const scale = inverseLength(sum);
  return sum.map((value) => value * scale);
}
