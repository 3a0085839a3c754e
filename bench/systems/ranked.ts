/** Rankings for the evaluation, from a score per skill and from a ranking of the index. */

import type { Ranking, Reader } from '#index';
import type { RankedDocument } from '../../src/evaluation/public.ts';

/** The `k` highest scores above 0, best first. Equal scores keep the order of `ids`. */
export function topRanked(ids: readonly string[], scores: ArrayLike<number>, k: number): RankedDocument[] {
  const top: RankedDocument[] = [];
  for (let index = 0; index < ids.length; index++) {
    const score = scores[index]!;
    if (!(score > 0) || (top.length === k && score <= top.at(-1)!.score)) continue;
    let position = top.length;
    while (position > 0 && top[position - 1]!.score < score) position--;
    top.splice(position, 0, { id: ids[index]!, score });
    if (top.length > k) top.pop();
  }
  return top;
}

/** A ranking of the index, with ids instead of ordinals. */
export function toRankedDocuments(reader: Reader, { ordinals, scores }: Ranking): RankedDocument[] {
  return Array.from(ordinals, (ordinal, at) => ({ id: reader.key(ordinal), score: scores[at]! }));
}
