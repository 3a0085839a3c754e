/** Measures the recall of an approximate index against the exact scan. */

import { seeded } from '../random.ts';
import type { ExactIndex, VectorIndex } from './exact.ts';

/** Rows used as queries: a standard error of about 0.003 at a recall of 0.99. */
const SAMPLE = 200;

interface RecallOptions {
  /** Default 10. */
  readonly k?: number;
  /** Seed of the sample; default 1. */
  readonly seed?: number;
}

/**
 * Mean recall@k of `index`, 0–1. The queries are rows, drawn with replacement; a row is not its own neighbour. A result
 * counts if its score is at least that of the k-th exact one, so ties between duplicates are no misses (as in
 * ANN-Benchmarks, arXiv 1807.05614). 1 if no row has a vector.
 */
export function recallOf(index: VectorIndex, exact: ExactIndex, options: RecallOptions = {}): number {
  const { k = 10, seed = 1 } = options;
  const { matrix } = exact;
  const candidates = Uint32Array.from(matrix.scales.keys()).filter((row) => matrix.scales[row]! > 0);
  if (candidates.length === 0) return 1;
  const random = seeded(seed);
  let sum = 0;
  for (let drawn = 0; drawn < SAMPLE; drawn += 1) {
    const row = candidates[Math.floor(random() * candidates.length)]!;
    const query = matrix.vector(row);
    const wanted = scoresWithout(exact, query, k, row);
    const found = scoresWithout(index, query, k, row);
    const least = wanted.at(-1);
    sum += least === undefined ? 1 : found.filter((score) => score >= least).length / wanted.length;
  }
  return sum / SAMPLE;
}

function scoresWithout(index: VectorIndex, query: Float32Array, k: number, self: number): number[] {
  const { ordinals, scores } = index.nearest(query, k + 1);
  return Array.from(scores)
    .filter((_, at) => ordinals[at] !== self)
    .slice(0, k);
}
