/** From a score for each skill to a ranking, and from the product's rankings to the evaluation's. */

import type { Ranking, Reader } from '#index';
import type { RankedDocument } from '../../src/evaluation/public.ts';

/** The `k` highest scores above 0, best first; equal scores keep the order of `ids`. */
export function best(ids: readonly string[], scores: ArrayLike<number>, k: number): RankedDocument[] {
  const top: RankedDocument[] = [];
  for (let index = 0; index < ids.length; index++) {
    const score = scores[index]!;
    if (!(score > 0) || (top.length === k && score <= top.at(-1)!.score)) continue;
    let place = top.length;
    while (place > 0 && top[place - 1]!.score < score) place--;
    top.splice(place, 0, { id: ids[index]!, score });
    if (top.length > k) top.pop();
  }
  return top;
}

/** A ranking of the index, by id. */
export function named(reader: Reader, { ordinals, scores }: Ranking): RankedDocument[] {
  return Array.from(ordinals, (ordinal, at) => ({ id: reader.key(ordinal), score: scores[at]! }));
}
