/** Writes rankings in the format of trec_eval, ir_measures and ranx: `qid Q0 docid rank score tag`. */

import type { Evaluation } from './evaluation.ts';

/**
 * One line per hit: queries in the order of the dataset, hits by rank from 1. White space in an id or the tag is
 * percent-encoded, since it separates the fields. Those tools sort by score again: where scores tie or rise down the
 * ranking, their figures can differ from ours, which use the given order.
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
