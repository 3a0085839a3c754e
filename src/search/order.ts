/** The order that a search gives its candidates, and which of them are one skill, for whoever looks behind a search. */

import { isSimilar, type Reader } from '#index';
import { TWIN_SIMILARITY } from './collapse.ts';
import type { Features } from './features.ts';
import { type Ranked, rank } from './rank.ts';

/** Candidates by score; equal scores in the order of their keys. */
export function ranked(reader: Reader, ordinals: Uint32Array, features: Features): Ranked {
  return rank(features, ordinals.length, (a, b) => reader.compareKeys(ordinals[a]!, ordinals[b]!));
}

/** Whether two candidates, by their places, are near-identical or the same. */
export function twinTest(reader: Reader, ordinals: Uint32Array): (a: number, b: number) => boolean {
  const prints = Array.from(ordinals, (ordinal) => reader.fingerprint(ordinal));
  const digests = Array.from(ordinals, (ordinal) => reader.digest(ordinal));
  return (a, b) => digests[a] === digests[b] || isSimilar(prints[a]!, prints[b]!, TWIN_SIMILARITY);
}
