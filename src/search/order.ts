/** The order that a search gives its candidates, and which of them are one skill, for whoever looks behind a search. */

import type { Reader } from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';
import { TWIN_SIMILARITY } from './collapse.ts';
import { Sameness } from './copies.ts';
import type { Features } from './features.ts';
import { type Ranked, rank } from './rank.ts';

/** Candidates by score; equal scores in the order of their keys. */
export function ranked(reader: Reader, ordinals: Uint32Array, features: Features): Ranked {
  return rank(features, ordinals.length, (a, b) => reader.compareKeys(ordinals[a]!, ordinals[b]!));
}

/** Which of the candidates, by their places, are one skill to whoever asks. */
export interface Likeness {
  /** Near-identical or identical. */
  readonly areTwins: (a: number, b: number) => boolean;
  readonly sameness: Sameness;
}

export function likenessOf(reader: Reader, ordinals: Uint32Array, scores: Float32Array): Likeness {
  const prints = reader.fingerprints(ordinals);
  const sameness = new Sameness(prints, scores, (at) => reader.payload(ordinals[at]!) as CatalogEntry);
  return {
    areTwins: (a, b) => prints.areSimilar(a, b, TWIN_SIMILARITY) || sameness.of(a, b),
    sameness,
  };
}
