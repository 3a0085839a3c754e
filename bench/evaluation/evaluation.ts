/** The result of an evaluation: the answer to each query, and the figures computed from them. */

import type { Query } from '../../extensions/eval/dataset.ts';
import { CodedError } from '../../src/base/errors.ts';
import { NO_MATCH_MEASURES } from './confidence.ts';
import { mean, quantile } from './statistics.ts';

/**
 * - `SYSTEM_INVALID`: a system under test broke its contract; `data` holds system and query.
 * - `COMPARISON_INVALID`: two evaluations do not cover the same queries or lack the measure.
 */
export class EvaluationError extends CodedError<'SYSTEM_INVALID' | 'COMPARISON_INVALID'> {
  override readonly name = 'EvaluationError';
}

/** True where the task needs several documents. */
export function needsSeveral(query: Query): boolean {
  return (query.parts ?? 1) > 1;
}

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string;
  /** Finite, on any scale; higher is better. The measures use the order of the answer, not the score. */
  readonly score: number;
}

/** A system's confidence in its answer. */
export interface Confidence {
  /** Probability, 0–1, that the corpus holds a fitting document. */
  readonly fit: number;
  /** Probability, 0–1, that the first hit is right. */
  readonly first: number;
}

/** The result of one query. */
export interface QueryResult {
  readonly query: Query;
  readonly ranking: readonly RankedDocument[];
  /** Value by measure; null for a no-match query. */
  readonly values: Readonly<Record<string, number>> | null;
  /** Rank of the first document of the query's highest grade; null where none was found. */
  readonly firstHit: number | null;
  /** Null for a system without confidence. */
  readonly confidence: Confidence | null;
  /** Wall time of the search, ms. */
  readonly tookMs: number;
}

export interface Means {
  readonly queries: number;
  /** Arithmetic mean by measure, in [0, 1]. */
  readonly means: Readonly<Record<string, number>>;
}

export interface Evaluation extends Means {
  readonly system: string;
  readonly dataset: string;
  /** k of each search. */
  readonly depth: number;
  /** By style, and by whether the query names its skill; in order of first appearance. Empty without these labels. */
  readonly groups: readonly ({ readonly group: string } & Means)[];
  /** Over the queries that need several documents; null without any. */
  readonly several: Means | null;
  /** By measure; null without no-match queries or without confidence. */
  readonly noMatch: { readonly queries: number; readonly values: Readonly<Record<string, number>> } | null;
  /** Wall time of one search, ms, over all queries. */
  readonly latency: { readonly p50: number; readonly p95: number };
  /** In the order of the dataset. */
  readonly results: readonly QueryResult[];
}

/** Computes an evaluation from its rows, so that rows of several runs can be combined. */
export function summarise(
  system: string,
  dataset: string,
  depth: number,
  results: readonly QueryResult[],
): Evaluation {
  const several = results.filter((result) => needsSeveral(result.query) && result.values !== null);
  const groups = new Map<string, QueryResult[]>();
  for (const result of results) {
    if (result.values === null) continue;
    for (const group of groupsOf(result.query)) {
      const members = groups.get(group);
      if (members === undefined) groups.set(group, [result]);
      else members.push(result);
    }
  }
  const times = results.map((result) => result.tookMs);
  return {
    system,
    dataset,
    depth,
    ...meansOf(results),
    groups: [...groups].map(([group, members]) => ({ group, ...meansOf(members) })),
    several: several.length === 0 ? null : meansOf(several),
    noMatch: separation(results),
    latency: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
    results,
  };
}

function groupsOf(query: Query): string[] {
  const groups = query.style === undefined ? [] : [query.style];
  if (query.namesSkill !== undefined) groups.push(query.namesSkill ? 'names the skill' : 'does not name it');
  return groups;
}

/** Means of the measures that all answerable queries of `results` have. */
function meansOf(results: readonly QueryResult[]): Means {
  const rows = results.flatMap((result) => (result.values === null ? [] : [result.values]));
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.every((row) => name in row));
  return {
    queries: rows.length,
    means: Object.fromEntries(names.map((name) => [name, mean(rows.map((row) => row[name]!))])),
  };
}

function separation(results: readonly QueryResult[]): Evaluation['noMatch'] {
  const answerable: number[] = [];
  const noMatch: number[] = [];
  for (const { confidence, values } of results) {
    if (confidence !== null) (values === null ? noMatch : answerable).push(confidence.fit);
  }
  if (answerable.length === 0 || noMatch.length === 0) return null;
  return {
    queries: noMatch.length,
    values: Object.fromEntries(
      NO_MATCH_MEASURES.map((measure) => [measure.name, measure.compute(answerable, noMatch)]),
    ),
  };
}
