/** Holes: hits that no one has judged. They count as wrong, so a figure is only as good as its holes are few. */

import type { Dataset } from '../extensions/eval/dataset.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import { mean } from './evaluation/statistics.ts';
import { percent } from './evaluation/table.ts';

/** Hits looked at for each query. */
export const HOLES_DEPTH = 5;

type Judged = Pick<Dataset, 'qrels'>;

/** Whether anybody judged this document for the query. Explicit zeros are judgements. */
export const isJudged = ({ qrels }: Judged, query: string, id: string) => qrels.get(query)?.has(id) === true;

/** Share of the first `HOLES_DEPTH` hits that no one judged: mean over the queries with a hit and a judgement, 0–1. */
export function holesOf({ results }: Pick<Evaluation, 'results'>, judged: Judged): number {
  const shares = results.flatMap(({ query, ranking }) => {
    const top = ranking.slice(0, HOLES_DEPTH);
    if (top.length === 0 || !judged.qrels.has(query.id)) return [];
    return top.filter(({ id }) => !isJudged(judged, query.id, id)).length / top.length;
  });
  return shares.length === 0 ? 0 : mean(shares);
}

/** A line for reports: the share of each system. */
export function holesLine(
  evaluations: readonly Pick<Evaluation, 'system' | 'results'>[],
  judged: Judged,
): string {
  const shares = evaluations.map((each) => `${each.system} ${percent(holesOf(each, judged))}`);
  return `Not judged, of the first ${HOLES_DEPTH} hits: ${shares.join(', ')}`;
}
