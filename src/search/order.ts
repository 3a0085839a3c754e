/** The order that a search gives its candidates, and which of them are one skill, for whoever looks behind a search. */

import { isSimilar, type Reader } from '#index';
import { TWIN_SIMILARITY } from './collapse.ts';
import type { Features } from './features.ts';
import { type Ranked, rank } from './rank.ts';

/** Candidates by score; equal scores in the order of the index. */
export function ranked(ordinals: Uint32Array, features: Features): Ranked {
  return rank(features, ordinals.length, (a, b) => ordinals[a]! - ordinals[b]!);
}

/** Whether two candidates, by their places, are near-identical. */
export function twinTest(reader: Reader, ordinals: Uint32Array): (a: number, b: number) => boolean {
  const prints = Array.from(ordinals, (ordinal) => reader.fingerprint(ordinal));
  return (a, b) => isSimilar(prints[a]!, prints[b]!, TWIN_SIMILARITY);
}
