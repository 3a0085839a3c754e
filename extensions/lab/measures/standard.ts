/** The measures of `skillgate eval` and the benchmark, in printed order. */

import type { Measure, SeparationMeasure } from './measure.ts';
import { falsePositiveRate, rocArea } from './no-match.ts';
import { completeness, hit, ndcg, recall, reciprocalRank } from './ranking.ts';

/** For each query with a relevant document. */
export const STANDARD_MEASURES: readonly Measure[] = [
  hit(1),
  hit(5),
  reciprocalRank(10),
  ndcg(10),
  recall(10),
];

/** Only for queries that need several documents. */
export const COMPLETENESS: Measure = completeness(10);

/** For confidences, where a dataset has no-match queries. 0.95 is the recall of the project's target. */
export const NO_MATCH_MEASURES: readonly SeparationMeasure[] = [rocArea, falsePositiveRate(0.95)];
