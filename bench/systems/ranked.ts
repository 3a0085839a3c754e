/** Rankings for the evaluation, from a ranking of the index. */

import type { Ranking, Reader } from '#index';
import type { RankedDocument } from '../../src/evaluation/public.ts';

/** A ranking of the index, with ids instead of ordinals. */
export function toRankedDocuments(reader: Reader, { ordinals, scores }: Ranking): RankedDocument[] {
  return Array.from(ordinals, (ordinal, at) => ({ id: reader.key(ordinal), score: scores[at]! }));
}
