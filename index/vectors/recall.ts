/** How much an approximate index misses, measured against looking at every row. */

import type { ExactIndex, VectorIndex } from './exact.ts';

export interface RecallOptions {
  /** Default 10. */
  readonly k?: number;
  /** Rows used as queries; default 200 (a standard error of about 0.003 at a recall of 0.99). */
  readonly sample?: number;
  /** Chooses the same rows each time; default 1. */
  readonly seed?: number;
}

/**
 * Mean recall@k of `index`, 0–1: rows drawn with replacement serve as queries, themselves not counted among their
 * neighbours. A returned row is right if it scores at least as much as the k-th exact one, so that ties, which twins
 * bring by the dozen, cannot count as misses (as in ANN-Benchmarks, arXiv 1807.05614). 1 where no row has a vector.
 */
export function recallOf(index: VectorIndex, exact: ExactIndex, options: RecallOptions = {}): number {
  const { k = 10, sample = 200, seed = 1 } = options;
  const { matrix } = exact;
  const candidates = Uint32Array.from(matrix.scales.keys()).filter((row) => matrix.scales[row]! > 0);
  if (candidates.length === 0) return 1;
  const random = mulberry32(seed);
  let sum = 0;
  for (let drawn = 0; drawn < sample; drawn += 1) {
    const row = candidates[Math.floor(random() * candidates.length)]!;
    const query = matrix.vector(row);
    const wanted = scoresWithout(exact, query, k, row);
    const found = scoresWithout(index, query, k, row);
    const least = wanted.at(-1);
    sum += least === undefined ? 1 : found.filter((score) => score >= least).length / wanted.length;
  }
  return sum / sample;
}

function scoresWithout(index: VectorIndex, query: Float32Array, k: number, self: number): number[] {
  const { ordinals, scores } = index.nearest(query, k + 1);
  return Array.from(scores)
    .filter((_, at) => ordinals[at] !== self)
    .slice(0, k);
}

/** Tommy Ettinger's generator: 32 bits of state, numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
