/** A ranking in the format that trec_eval, ir_measures and ranx read: `qid Q0 docid rank score tag`. */

import type { Evaluation } from './evaluation.ts';

/**
 * One line a hit, queries in the dataset's order, hits by rank from 1. White space inside an id or the tag is
 * percent-encoded, since the format separates by it. Those tools sort by score again: where a system's scores
 * tie or rise down the ranking, their figures can differ from ours, which take the ranking as it stands.
 */
export function trecRun(evaluation: Evaluation): string {
  const tag = token(evaluation.system);
  return evaluation.results
    .flatMap(({ query, ranking }) =>
      ranking.map(
        ({ id, score }, index) => `${token(query.id)} Q0 ${token(id)} ${index + 1} ${score} ${tag}\n`,
      ),
    )
    .join('');
}

function token(text: string): string {
  return text.replace(/\s/gu, encodeURIComponent);
}
