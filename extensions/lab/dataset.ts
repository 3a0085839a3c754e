/**
 * A test collection: queries and the judgements of assessors. `beir.ts` reads one from files. The corpus belongs to the
 * system under test.
 */

import { CodedError } from '../../src/base/errors.ts';
import type { Grades } from './measures/ranking.ts';

export interface Query {
  readonly id: string;
  /** Not blank. */
  readonly text: string;
  /** Style of the query, such as `agent`, `user`, `problem`. */
  readonly style?: string;
  /** True where the text contains the name of the wanted document, which favours lexical search. */
  readonly namesSkill?: boolean;
  /** How many documents the task needs, from 1. Above 1, it needs all documents of the highest grade. */
  readonly parts?: number;
}

export interface Dataset {
  readonly name: string;
  /** In file order. A query without a relevant document is a no-match query. */
  readonly queries: readonly Query[];
  /** Grades by query id. */
  readonly qrels: ReadonlyMap<string, Grades>;
  /** What the reader left out, in sentences for the user. */
  readonly notes: readonly string[];
}

/** True where the task needs several documents. */
export function needsSeveral(query: Query): boolean {
  return (query.parts ?? 1) > 1;
}

/**
 * The dataset with its documents renamed by `idOf`. Where two names become one document, the higher grade counts.
 */
export function renamed(dataset: Dataset, idOf: (name: string) => string): Dataset {
  const qrels = new Map<string, Grades>();
  for (const [query, grades] of dataset.qrels) {
    const own = new Map<string, number>();
    for (const [name, grade] of grades) {
      const id = idOf(name);
      own.set(id, Math.max(grade, own.get(id) ?? grade));
    }
    qrels.set(query, own);
  }
  return { ...dataset, qrels };
}

/**
 * Relevant documents that the corpus lacks, sorted. They count as never found, as in trec_eval, so a report should
 * mention them.
 */
export function missingDocuments(dataset: Dataset, holds: (id: string) => boolean): readonly string[] {
  const missing = new Set<string>();
  for (const { id: queryId } of dataset.queries) {
    for (const [id, grade] of dataset.qrels.get(queryId) ?? []) if (grade > 0 && !holds(id)) missing.add(id);
  }
  return [...missing].sort();
}

/**
 * - `DATASET_UNREADABLE`: a file of the dataset cannot be opened; `data.file` names it.
 * - `DATASET_INVALID`: a line breaks the format; `data` holds file and 1-based line.
 * - `SYSTEM_INVALID`: a system under test broke its contract; `data` holds system and query.
 * - `COMPARISON_INVALID`: two evaluations do not cover the same queries or lack the measure.
 */
export type EvaluationErrorCode =
  | 'DATASET_UNREADABLE'
  | 'DATASET_INVALID'
  | 'SYSTEM_INVALID'
  | 'COMPARISON_INVALID';

export class EvaluationError extends CodedError<EvaluationErrorCode> {
  override readonly name = 'EvaluationError';
}
