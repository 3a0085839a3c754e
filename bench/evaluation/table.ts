/** Prints evaluations as a plain-text table, for a terminal or a fenced block of Markdown. */

import { type Claim, calibrationError } from './confidence.ts';
import type { Evaluation, Means, QueryResult } from './evaluation.ts';
import { mean } from './statistics.ts';

/**
 * One row per system, followed by its groups where `groups` is set. Measures in per cent with one decimal, as in the
 * literature; latency in ms. Ends with a line break.
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
 * Completeness, where only some queries need several documents. Where all do, it is a column of the table; where none
 * does, there is no line.
 */
export function severalLine({ system, queries, several }: Evaluation): string[] {
  const value = several?.means['Completeness@10'];
  return value === undefined || several === null || several.queries === queries
    ? []
    : [
        `${system}: Completeness@10 ${percent(value)} over ${several.queries} ${several.queries === 1 ? 'query that needs' : 'queries that need'} several skills`,
      ];
}

/** How well the confidence separates no-match queries from the others. No line without no-match queries. */
export function noMatchLine({ system, noMatch }: Evaluation, about = 'no-match queries'): string[] {
  if (noMatch === null) return [];
  const values = Object.entries(noMatch.values).map(([name, value]) => `${name} ${percent(value)}`);
  return [
    `${system}: ${values.join(', ')} over ${noMatch.queries} ${noMatch.queries === 1 ? about.replace(/queries$/, 'query') : about}`,
  ];
}

/** The calibration of the confidence in the first hit. No line without confidence or without answerable queries. */
export function calibrationLine({ system, queries, results }: Evaluation): string[] {
  const claims = claimsOf(results);
  if (claims.length === 0 || queries === 0) return [];
  return [
    `${system}: ${calibrationText(claims)} over ${claims.length} ${claims.length === 1 ? 'query' : 'queries'}`,
  ];
}

export function calibrationText(claims: readonly Claim[]): string {
  const right = mean(claims.map((claim) => Number(claim.right)));
  const claimed = mean(claims.map(({ confidence }) => confidence));
  return `first hit right ${percent(right)}, claimed ${percent(claimed)}, calibration error ${percent(calibrationError(claims))}`;
}

/** The confidence in each first hit, and whether it was right. The first hit of a no-match query is wrong. */
export const claimsOf = (results: readonly QueryResult[]): Claim[] =>
  results.flatMap(({ confidence, firstHit }) =>
    confidence === null ? [] : [{ confidence: confidence.first, right: firstHit === 1 }],
  );

/** 0.4219 → `42.2`; absent → `–`. */
export function percent(value: number | undefined): string {
  return value === undefined ? '–' : (100 * value).toFixed(1);
}

/** Aligns cells, with two spaces between columns. Columns in `left` (default: the first) align left, all others right. */
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
