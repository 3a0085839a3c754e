/**
 * Learned term weights, beyond idf. Requests contain words that are rare in skills but distinguish none ("nobody", "on
 * Monday", "keeps"), and common words that decide ("github", "test").
 *
 * `bench/word-weights.ts` fits them on the written queries of `models/train/queries` and describes the method. A stop
 * word has weight 0.
 */

import weights from './word-weights.json' with { type: 'json' };

const WEIGHTS: ReadonlyMap<string, number> = new Map(Object.entries(weights));

/** Whether a term (as `stem.ts` makes it) occurs in English requests often enough to have a learned weight. */
export const hasWordWeight = (term: string) => WEIGHTS.has(term);

/** Factor of a term (as `stem.ts` makes it), > 0; 1 for terms without evidence. */
export function wordWeight(term: string): number {
  return WEIGHTS.get(term) ?? 1;
}
