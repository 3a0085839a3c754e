/** The queries whose first hit is not one of the best skills, with the skill that came first instead. */

import type { Dataset } from './dataset.ts';
import type { Evaluation } from './evaluation.ts';
import { targets } from './grades.ts';

export interface Miss {
  readonly query: string;
  readonly text: string;
  /** The skills of the highest grade, sorted. */
  readonly wanted: readonly string[];
  /** Rank of the first of them, from 2; null if none is in the ranking. */
  readonly rank: number | null;
  /** The skill that came first; null for an empty answer. */
  readonly winner: string | null;
}

/** In the order of the dataset. Queries that no skill answers cannot be missed. */
export function missesOf({ results }: Evaluation, { qrels }: Dataset): Miss[] {
  return results.flatMap(({ query, ranking, values, firstHit }) =>
    values === null || firstHit === 1
      ? []
      : [
          {
            query: query.id,
            text: query.text,
            wanted: [...targets(qrels.get(query.id) ?? new Map())].sort(),
            rank: firstHit,
            winner: ranking[0]?.id ?? null,
          },
        ],
  );
}
