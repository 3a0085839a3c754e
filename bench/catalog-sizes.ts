/**
 * Quality by size of the catalog. A small catalog cannot hold the answers to every query, so the queries run in batches.
 * Each batch has its own catalog of the wanted size: the answers to its queries, and other skills drawn at random. The
 * results of all batches are pooled.
 */

import type { Dataset, Query } from '../extensions/eval/dataset.ts';
import { type Evaluation, type QueryResult, summarise } from './evaluation/evaluation.ts';
import { relevant } from './evaluation/ranking.ts';
import { seeded, shuffled } from './evaluation/statistics.ts';

interface Batch {
  readonly queries: readonly Query[];
  /** Ids of the batch's catalog. */
  readonly skills: ReadonlySet<string>;
}

/** Largest share of a catalog that answers to its queries may have. */
const ANSWERS_SHARE = 0.5;

/**
 * Batches that together hold every answerable query once. Drawn with `seed`. The random skills of a smaller size are
 * also in a larger one.
 */
export function batches(dataset: Dataset, ids: readonly string[], size: number, seed = 1): Batch[] {
  const random = seeded(seed);
  const others = shuffled(ids, random);
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
    for (const id of others) {
      if (skills.size >= size) break;
      skills.add(id);
    }
    return { queries, skills };
  });
}

/** One evaluation per system, over the queries of all batches. */
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

/** Ids of the skills that are relevant to the query. */
export function answersTo(dataset: Dataset, query: Query): string[] {
  return [...relevant(dataset.qrels.get(query.id) ?? new Map())];
}
