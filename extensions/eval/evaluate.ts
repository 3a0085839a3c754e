/** Judges the rankings of a dataset's queries: Hit@k and nDCG over all, the missed queries, and the change since a baseline. */

import type { Dataset } from './dataset.ts';
import { firstHit, hit, ndcg, targets } from './measures.ts';

/** Ranks requested: the deepest cut-off of the measures. */
export const DEPTH = 10;
const HIT1 = hit(1);
const MEASURES = [HIT1, hit(5), ndcg(DEPTH)];

/** The ids of the skills found for a query, best first. */
export type Rankings = ReadonlyMap<string, readonly string[]>;

export interface QueryResult {
  readonly query: string;
  readonly text: string;
  /** The skills of the highest grade, sorted. */
  readonly wanted: readonly string[];
  /** Rank of the first of them, from 1; null if none is in the ranking. */
  readonly rank: number | null;
  /** At most `DEPTH` ids, best first. */
  readonly ranking: readonly string[];
}

export interface Evaluation {
  readonly dataset: string;
  /** Queries that some skill answers; the means are over these. */
  readonly queries: number;
  /** By measure, 0–1. */
  readonly means: Readonly<Record<string, number>>;
  /** In the order of the dataset. */
  readonly results: readonly QueryResult[];
  /** The results whose first hit is not a wanted skill. */
  readonly missed: readonly QueryResult[];
}

/** A query without a ranking counts as not found; one that no skill answers is left out. */
export function evaluate({ name, queries, qrels }: Dataset, rankings: Rankings): Evaluation {
  const sums = MEASURES.map(() => 0);
  const results = queries.flatMap(({ id, text }): QueryResult[] => {
    const grades = qrels.get(id) ?? new Map<string, number>();
    const wanted = [...targets(grades)].sort();
    if (wanted.length === 0) return [];
    const ranking = rankings.get(id) ?? [];
    MEASURES.forEach(({ compute }, at) => {
      sums[at]! += compute(ranking, grades);
    });
    return [{ query: id, text, wanted, rank: firstHit(ranking, grades), ranking }];
  });
  return {
    dataset: name,
    queries: results.length,
    means: Object.fromEntries(
      MEASURES.map(({ name }, at) => [name, sums[at]! / Math.max(1, results.length)]),
    ),
    results,
    missed: results.filter(({ rank }) => rank !== 1),
  };
}

export const hit1 = ({ means }: Evaluation): number => means[HIT1.name]!;

export interface Change {
  /** Hit@1 of the baseline, 0–1. */
  readonly baseline: number;
  /** Queries whose first hit is right now and was wrong before. */
  readonly won: readonly QueryResult[];
  /** Queries whose first hit was right before and is wrong now. */
  readonly lost: readonly QueryResult[];
}

/** Both evaluations are of the same dataset. */
export function compare(before: Evaluation, now: Evaluation): Change {
  const changed = now.results.filter(({ rank }, at) => (rank === 1) !== (before.results[at]!.rank === 1));
  return {
    baseline: hit1(before),
    won: changed.filter(({ rank }) => rank === 1),
    lost: changed.filter(({ rank }) => rank !== 1),
  };
}
