/**
 * Features → one score a candidate: a weighted sum. The weights are non-negative, so that more of anything never
 * counts against a skill, and there are as few as cross-validation over repositories leaves standing.
 */

import type { FeatureName, Features } from './features.ts';

/**
 * Round numbers on the plateau about those that `bench/tune.ts` fits listwise, cross-validated by repository
 * (`bench/README.md`, "Tried"). They add up to 1, so that a score is at most 1.
 */
export const WEIGHTS: Readonly<Partial<Record<FeatureName, number>>> = {
  words: 0.4,
  cardShare: 0.18,
  bestShare: 0.1,
  coverage: 0.05,
  passage: 0.16,
  identifiers: 0.11,
};

const WEIGHTED = Object.entries(WEIGHTS) as [FeatureName, number][];

/** Positions of the candidates, best first; equal scores keep the order of `tieBreak`, ascending. */
export interface Ranked {
  readonly order: readonly number[];
  /** By candidate, not by rank. */
  readonly scores: Float32Array;
}

/** A score for each of `count` candidates. */
export function scoresOf(features: Features, count: number): Float32Array {
  const scores = new Float32Array(count);
  for (const [name, weight] of WEIGHTED) {
    const column = features[name];
    for (let at = 0; at < count; at += 1) scores[at]! += weight * column[at]!;
  }
  return scores;
}

export function rank(features: Features, count: number, tieBreak: (a: number, b: number) => number): Ranked {
  const scores = scoresOf(features, count);
  const order: number[] = [];
  for (let at = 0; at < count; at += 1) order.push(at);
  order.sort((a, b) => {
    const difference = scores[b]! - scores[a]!;
    // Whole numbers: V8 takes memory for each fraction that is handed back.
    return difference > 0 ? 1 : difference < 0 ? -1 : tieBreak(a, b);
  });
  return { order, scores };
}

/** The part of each feature in one candidate's score. */
export function partsOf(features: Features, at: number): Record<string, number> {
  return Object.fromEntries(WEIGHTED.map(([name, weight]) => [name, weight * features[name][at]!]));
}
