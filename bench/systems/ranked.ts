/** Rankings for the evaluation, from a ranking of the index. */

import type { Ranking } from '../../index/ranking.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { RankedDocument } from '../evaluation/evaluation.ts';

/** A ranking of the index, with ids instead of ordinals. */
export function toRankedDocuments(reader: Reader, { ordinals, scores }: Ranking): RankedDocument[] {
  return Array.from(ordinals, (ordinal, at) => ({ id: reader.key(ordinal), score: scores[at]! }));
}
