/** Writes and reads rankings in the format of trec_eval, ir_measures and ranx: `qid Q0 docid rank score tag`. */

import { EvaluationError } from './dataset.ts';
import type { Evaluation, RankedDocument } from './evaluation.ts';

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

/** Rankings by query id, in the order of the ranks. Throws `DATASET_INVALID` with the line. `file` names it in messages. */
export function readTrecRun(text: string, file: string): Map<string, RankedDocument[]> {
  const rows = new Map<string, (RankedDocument & { readonly rank: number })[]>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [query = '', , id = '', rank = '', score = '', ...more] = line.trim().split(/\s+/);
    const row = { id: plain(id), rank: Number(rank), score: Number(score) };
    if (more.length !== 1 || !Number.isInteger(row.rank) || !Number.isFinite(row.score))
      throw new EvaluationError(
        'DATASET_INVALID',
        `${file}:${at + 1}: expected "query Q0 skill rank score tag", as --run writes it.`,
        { data: { file, line: at + 1 } },
      );
    const ranking = rows.get(plain(query)) ?? [];
    rows.set(plain(query), ranking);
    ranking.push(row);
  }
  return new Map(
    [...rows].map(([query, ranking]) => [
      query,
      ranking.sort((a, b) => a.rank - b.rank).map(({ id, score }) => ({ id, score })),
    ]),
  );
}

const plain = (text: string) =>
  text.replace(/%(?:09|0A|0B|0C|0D|20|C2%A0|E2%80%8[0-9A-F])/gi, decodeURIComponent);
