/**
 * How quality falls as the catalog grows. A small catalog cannot hold the answers to every query, so the queries
 * are asked in batches: each against its own catalog of the wanted size, made of what the batch needs and of other
 * skills drawn by chance, and the rows of all batches are put together.
 */

import {
  type Dataset,
  type Evaluation,
  type Query,
  type QueryResult,
  relevant,
  seeded,
  shuffled,
  summarise,
} from '../src/evaluation/public.ts';

export interface Batch {
  readonly queries: readonly Query[];
  /** Ids of the catalog that they are asked against. */
  readonly skills: ReadonlySet<string>;
}

/** Share of a small catalog that the answers to its queries may make up, so that it stays mostly foreign. */
const ANSWERS_SHARE = 0.5;

/**
 * Batches that together hold every query with an answer, once. Drawn by `seed`; the foreign skills of a smaller
 * size are among those of a larger one.
 */
export function batches(dataset: Dataset, ids: readonly string[], size: number, seed = 1): Batch[] {
  const random = seeded(seed);
  const foreign = shuffled(ids, random);
  const result: { queries: Query[]; answers: Set<string> }[] = [];
  for (const query of shuffled(dataset.queries, random)) {
    const answers = answersTo(dataset, query);
    if (answers.length === 0) continue;
    const last = result.at(-1);
    const joined = new Set([...(last?.answers ?? []), ...answers]);
    if (last !== undefined && joined.size <= ANSWERS_SHARE * size) {
      last.queries.push(query);
      for (const id of answers) last.answers.add(id);
    } else result.push({ queries: [query], answers: new Set(answers) });
  }
  return result.map(({ queries, answers }) => {
    const skills = new Set(answers);
    for (const id of foreign) {
      if (skills.size >= size) break;
      skills.add(id);
    }
    return { queries, skills };
  });
}

/** One evaluation a system from those of all batches. */
export function pooled(evaluations: readonly Evaluation[]): Evaluation[] {
  const rows = new Map<string, QueryResult[]>();
  for (const { system, results } of evaluations) {
    const known = rows.get(system);
    if (known === undefined) rows.set(system, [...results]);
    else known.push(...results);
  }
  return [...rows].map(([system, results]) =>
    summarise(system, evaluations[0]!.dataset, evaluations[0]!.depth, results),
  );
}

export function answersTo(dataset: Dataset, query: Query): string[] {
  return [...relevant(dataset.qrels.get(query.id) ?? new Map())];
}
