/**
 * What a word is worth in a request, beyond its rarity. People wrap what they are after in words that are rare in skills
 * and yet tell none from another ("nobody", "on Monday", "keeps"), and name in common ones what decides ("github", "test").
 *
 * Fitted on the written queries of `models/train/queries` by `bench/word-weights.ts`, which has the method; a stop word
 * is a word of weight 0.
 */

import weights from './word-weights.json' with { type: 'json' };

const WEIGHTS: ReadonlyMap<string, number> = new Map(Object.entries(weights));

/** Factor of a term (as `stem.ts` makes them), > 0; 1 where the queries said nothing of it. */
export function wordWeight(term: string): number {
  return WEIGHTS.get(term) ?? 1;
}
