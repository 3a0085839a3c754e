/**
 * Learned term weights, beyond idf. Requests contain words that are rare in skills but distinguish none ("nobody", "on
 * Monday", "keeps"), and common words that decide ("github", "test").
 *
 * `bench/word-weights.ts` fits them on the written queries of `models/train/queries` and describes the method. A stop
 * word has weight 0. They hold for catalogs of skills: `trustIn` says how far they hold for another one.
 */

import weights from './word-weights.json' with { type: 'json' };

/** As it is: a map of them would take 5 ms of each start. */
const WEIGHTS: Readonly<Record<string, number>> = weights;

/** Whether a term (as `stem.ts` makes it) occurs in English requests often enough to have a learned weight. */
export const hasWordWeight = (term: string) => Object.hasOwn(WEIGHTS, term);

/** Factor of a term (as `stem.ts` makes it), > 0; 1 for terms without evidence. */
export function wordWeight(term: string): number {
  return hasWordWeight(term) ? WEIGHTS[term]! : 1;
}

/**
 * Share of the documents that contain each term, in the catalog on whose queries the weights were learned: its most
 * frequent terms. `bench/word-weights.ts` prints them.
 */
const USUAL_SHARES: readonly (readonly [term: string, share: number])[] = [
  ['not', 0.79],
  ['output', 0.68],
  ['requir', 0.67],
  ['befor', 0.63],
  ['run', 0.62],
  ['check', 0.62],
  ['name', 0.62],
  ['data', 0.62],
  ['onli', 0.59],
  ['all', 0.57],
  ['get', 0.56],
  ['gener', 0.55],
  ['type', 0.55],
  ['pattern', 0.55],
  ['api', 0.53],
  ['first', 0.53],
];

/** Overlap of these shares from which the weights count in full, and up to which they do not count. */
const LIKE = 0.5;
const UNLIKE = 0.2;

/**
 * How far the learned weights hold for a catalog, 0–1: their exponent. A catalog of tools has other words than one of
 * skills, and there plain idf ranks better. `frequencyOf` gives the number of its documents with a term. The overlap of
 * the shares is 0.3 to 1 for catalogs of skills, even of twelve skills, and 0.04 to 0.16 for tools (`bench/TRIED.md`).
 */
export function trustIn(documents: number, frequencyOf: (term: string) => number): number {
  if (documents === 0) return 1;
  let shared = 0;
  let all = 0;
  for (const [term, share] of USUAL_SHARES) {
    shared += Math.min(share, frequencyOf(term) / documents);
    all += share;
  }
  return Math.min(1, Math.max(0, (shared / all - UNLIKE) / (LIKE - UNLIKE)));
}
