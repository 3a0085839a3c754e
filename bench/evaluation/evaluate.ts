/**
 * Runs every query of a dataset on a system, and measures and times its answers. `measures/` defines the measures,
 * `evaluation.ts` summarises the rows, `compare.ts` compares two evaluations.
 */

import type { Dataset, Query } from '../../extensions/eval/dataset.ts';
import { firstHit, type Grades, topGrade } from '../../extensions/eval/measures.ts';
import {
  type Confidence,
  type Evaluation,
  EvaluationError,
  needsSeveral,
  type QueryResult,
  type RankedDocument,
  summarise,
} from './evaluation.ts';
import { COMPLETENESS, STANDARD_MEASURES } from './ranking.ts';

/** A system under test: it answers a query with a ranking of the corpus. */
export interface System {
  readonly name: string;
  /** At most `k` distinct documents, best first. */
  search(query: string, k: number): Promise<readonly RankedDocument[]>;
  /** The confidence in the answer; not timed. Absent for a system without confidence. */
  confidence?(query: string): Promise<Confidence>;
}

export interface EvaluateOptions {
  /** k of each search; at least the deepest cut-off of the measures. Default 10. */
  readonly depth?: number;
  readonly onProgress?: (done: number, total: number) => void;
  /** Milliseconds from any origin. */
  readonly now?: () => number;
}

/**
 * Runs the queries one after the other. Queries without a relevant document are no-match queries: they count for
 * latency and `noMatch`, but not for the means. The first query runs once untimed before, so that lazy loading does not
 * count as search time.
 * Throws `SYSTEM_INVALID` where an answer repeats a document, is longer than k or has a score that is not finite.
 */
export async function evaluate(
  system: System,
  dataset: Dataset,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const { depth = 10, onProgress, now = () => performance.now() } = options;
  const results: QueryResult[] = [];
  if (dataset.queries.length > 0) await system.search(dataset.queries[0]!.text, depth);
  for (const query of dataset.queries) {
    const start = now();
    const ranking = await system.search(query.text, depth);
    const tookMs = now() - start;
    check(system, query, ranking, depth);
    const confidence = (await system.confidence?.(query.text)) ?? null;
    results.push(judge(query, ranking, dataset.qrels.get(query.id) ?? new Map(), confidence, tookMs));
    onProgress?.(results.length, dataset.queries.length);
  }
  return summarise(system.name, dataset.name, depth, results);
}

function judge(
  query: Query,
  ranking: readonly RankedDocument[],
  grades: Grades,
  confidence: Confidence | null,
  tookMs: number,
): QueryResult {
  const ids = ranking.map((document) => document.id);
  if (topGrade(grades) === 0) return { query, ranking, values: null, firstHit: null, confidence, tookMs };
  const applied = needsSeveral(query) ? [...STANDARD_MEASURES, COMPLETENESS] : STANDARD_MEASURES;
  const values = Object.fromEntries(applied.map((measure) => [measure.name, measure.compute(ids, grades)]));
  return { query, ranking, values, firstHit: firstHit(ids, grades), confidence, tookMs };
}

function check(system: System, query: Query, ranking: readonly RankedDocument[], depth: number): void {
  const ids = new Set(ranking.map((document) => document.id));
  const fault =
    ranking.length > depth
      ? `${ranking.length} documents for k = ${depth}`
      : ids.size < ranking.length
        ? 'a document twice'
        : ranking.some((document) => !Number.isFinite(document.score))
          ? 'a score that is not a finite number'
          : null;
  if (fault !== null) {
    throw new EvaluationError('SYSTEM_INVALID', `${system.name} answered query ${query.id} with ${fault}.`, {
      data: { system: system.name, query: query.id },
    });
  }
}

/** The parts of an answer that the evaluation reads. */
interface Answer {
  readonly hits: readonly { readonly entry: { readonly id: string }; readonly score: number }[];
  readonly fit: number | null;
  readonly confidence: number | null;
}

/** Adapts a search function. Lists twins separately, since a dataset may judge each of them. */
export function asSystem(
  ask: (request: {
    readonly query: string;
    readonly limit: number;
    readonly foldTwins: false;
  }) => Promise<Answer>,
): Required<Omit<System, 'name'>> {
  return {
    async search(query, limit) {
      const { hits } = await ask({ query, limit, foldTwins: false });
      return hits.map(({ entry, score }) => ({ id: entry.id, score }));
    },
    async confidence(query) {
      const { fit, confidence } = await ask({ query, limit: 1, foldTwins: false });
      return { fit: fit ?? 0, first: confidence ?? 0 };
    },
  };
}
