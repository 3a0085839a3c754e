/** Evaluations as a plain-text table and lines, for a terminal and for a fenced block of Markdown. */

import type { Evaluation, Means, QueryResult } from './evaluation.ts';
import { type Claim, calibrationError } from './measures/calibration.ts';
import { mean } from './statistics.ts';

/**
 * One line a system, and below the first column's name its groups where `groups` is asked for. Measures in per
 * cent with one decimal, as the literature prints them; latency in ms. Ends with a line break.
 */
export function evaluationTable(
  evaluations: readonly Evaluation[],
  options: { readonly groups?: boolean } = {},
): string {
  const measures = [...new Set(evaluations.flatMap((evaluation) => Object.keys(evaluation.means)))];
  const rows = evaluations.flatMap((evaluation) => [
    [
      evaluation.system,
      ...figures(evaluation, measures),
      evaluation.latency.p50.toFixed(2),
      evaluation.latency.p95.toFixed(2),
    ],
    ...(options.groups
      ? evaluation.groups.map((group) => [`  ${group.group}`, ...figures(group, measures), '', ''])
      : []),
  ]);
  return columns([['system', 'queries', ...measures, 'p50 ms', 'p95 ms'], ...rows]);
}

function figures(means: Means, measures: readonly string[]): string[] {
  return [String(means.queries), ...measures.map((measure) => percent(means.means[measure]))];
}

/**
 * What the table has no column for: how often all of several documents were found. None where no query needs several, or
 * all do: then it is a column.
 */
export function severalLine({ system, queries, several }: Evaluation): string[] {
  const value = several?.means['Completeness@10'];
  return value === undefined || several === null || several.queries === queries
    ? []
    : [
        `${system}: Completeness@10 ${percent(value)} over ${several.queries} queries that need several skills`,
      ];
}

/** How well the confidence tells queries without an answer from the others; none where there are no such queries. */
export function noMatchLine({ system, noMatch }: Evaluation, about = 'no-match queries'): string[] {
  if (noMatch === null) return [];
  const values = Object.entries(noMatch.values).map(([name, value]) => `${name} ${percent(value)}`);
  return [`${system}: ${values.join(', ')} over ${noMatch.queries} ${about}`];
}

/** Whether the confidence in the first hit may be believed; none where there is none, or nothing that could be right. */
export function calibrationLine({ system, queries, results }: Evaluation): string[] {
  const claims = claimsOf(results);
  if (claims.length === 0 || queries === 0) return [];
  return [`${system}: ${calibrationText(claims)} over ${claims.length} queries`];
}

export function calibrationText(claims: readonly Claim[]): string {
  const right = mean(claims.map((claim) => Number(claim.right)));
  const claimed = mean(claims.map(({ confidence }) => confidence));
  return `first hit right ${percent(right)}, claimed ${percent(claimed)}, calibration error ${percent(calibrationError(claims))}`;
}

/** What was claimed of each first hit, and whether it was so: of queries without an answer none is right. */
export const claimsOf = (results: readonly QueryResult[]): Claim[] =>
  results.flatMap(({ confidence, firstHit }) =>
    confidence === null ? [] : [{ confidence: confidence.first, right: firstHit === 1 }],
  );

/** 0.4219 → `42.2`; absent → `–`. */
export function percent(value: number | undefined): string {
  return value === undefined ? '–' : (100 * value).toFixed(1);
}

/** Lines up cells, two spaces between columns: those in `left` (by default the first) to the left, others to the right. */
export function columns(rows: readonly (readonly string[])[], left: readonly number[] = [0]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) => {
      const cells = widths.map((width, column) => {
        const cell = row[column] ?? '';
        return left.includes(column) ? cell.padEnd(width) : cell.padStart(width);
      });
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
