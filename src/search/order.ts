/** The order of a search's candidates, and which of them count as one skill. */

import type { Reader } from '#index';
import type { CatalogEntry } from '../catalog/public.ts';
import { TWIN_SIMILARITY } from './collapse.ts';
import { IdenticalSkills } from './copies.ts';
import type { Features } from './features.ts';
import { type Ranked, rank } from './rank.ts';
import { areTranslations, type Path, pathOf } from './translations.ts';

/** Sorts candidates by score; equal scores by key. */
export function ranked(reader: Reader, ordinals: Uint32Array, features: Features): Ranked {
  return rank(features, ordinals.length, (a, b) => reader.compareKeys(ordinals[a]!, ordinals[b]!));
}

/** Which candidates count as one skill. Arguments are positions of candidates. */
interface Similarity {
  /** Near-identical or identical. */
  readonly areTwins: (a: number, b: number) => boolean;
  readonly areTranslations: (a: number, b: number) => boolean;
  readonly identical: IdenticalSkills;
}

export function similarityOf(reader: Reader, ordinals: Uint32Array, scores: Float32Array): Similarity {
  const prints = reader.fingerprints(ordinals);
  const identical = new IdenticalSkills(
    prints,
    scores,
    (at) => reader.payload(ordinals[at]!) as CatalogEntry,
  );
  const paths = new Map<number, Path>();
  const pathAt = (at: number): Path => {
    const path = paths.get(at) ?? pathOf(reader.key(ordinals[at]!));
    paths.set(at, path);
    return path;
  };
  return {
    areTranslations: (a, b) => areTranslations(pathAt(a), pathAt(b)),
    areTwins: (a, b) => prints.areSimilar(a, b, TWIN_SIMILARITY) || identical.areIdentical(a, b),
    identical,
  };
}
