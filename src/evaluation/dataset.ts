/**
 * A test collection as values: queries, and what assessors said of them. Reading one from files is `beir.ts`; the
 * corpus itself is the affair of whoever runs the evaluation.
 */

import type { Grades } from './grades.ts';

export interface Query {
  readonly id: string;
  /** Never blank. */
  readonly text: string;
  /** Manner of asking, such as `agent`, `user`, `problem`. */
  readonly style?: string;
  /** True where the text contains the wanted document's name: such queries flatter lexical search. */
  readonly namesSkill?: boolean;
  /** How many documents the task needs at once, from 1; above 1, all of the query's best are needed, not one. */
  readonly parts?: number;
}

export interface Dataset {
  readonly name: string;
  /** In file order. Those without a relevant document are no-match queries. */
  readonly queries: readonly Query[];
  /** Grades by query id. */
  readonly qrels: ReadonlyMap<string, Grades>;
  /** What was passed over while reading, in sentences for the user. Empty where all was used. */
  readonly notes: readonly string[];
}

/** True where finding one of the query's best documents is not enough. */
export function needsSeveral(query: Query): boolean {
  return (query.parts ?? 1) > 1;
}

/**
 * The dataset with its judgements under other ids: what `idOf` says of each. Where two names are one document, the
 * higher grade counts.
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
 * Relevant documents that the corpus does not hold, sorted. They are no error: they count as never found, as in
 * trec_eval, so whoever prints figures should say so.
 */
export function missingDocuments(dataset: Dataset, holds: (id: string) => boolean): readonly string[] {
  const missing = new Set<string>();
  for (const { id: queryId } of dataset.queries) {
    for (const [id, grade] of dataset.qrels.get(queryId) ?? []) if (grade > 0 && !holds(id)) missing.add(id);
  }
  return [...missing].sort();
}
