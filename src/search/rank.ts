/**
 * Features → one score for each candidate: a weighted sum; and why one ranks before another. No weight is negative, so more of
 * a feature never lowers a score. Features that cross-validation over repositories does not need are not computed at all.
 */

import type { Reader } from '../../index/reader/reader.ts';
import type { Lead } from './answer.ts';
import type { FeatureName, Features } from './features.ts';

/**
 * Round numbers on the plateau around the weights that `bench/tune.ts` fits listwise, cross-validated by repository.
 * Without those of `name`, `elsewhere` and `product` they add up to 1.
 */
export const WEIGHTS: Readonly<Record<FeatureName, number>> = {
  words: 0.4,
  cardShare: 0.18,
  bestShare: 0.1,
  coverage: 0.05,
  passage: 0.16,
  identifiers: 0.11,
  name: 0.05,
  elsewhere: 0.3,
  product: 0.2,
};

const WEIGHTED = Object.entries(WEIGHTS) as [FeatureName, number][];

/** Candidates, best first; equal scores in the order of `tieBreak`, ascending. */
export interface Ranked {
  readonly order: readonly number[];
  /** Indexed by candidate, not by rank. */
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

/** Sorts candidates by score; equal scores by key. */
export function ranked(reader: Reader, ordinals: Uint32Array, features: Features): Ranked {
  return rank(features, ordinals.length, (a, b) => reader.compareKeys(ordinals[a]!, ordinals[b]!));
}

export function rank(features: Features, count: number, tieBreak: (a: number, b: number) => number): Ranked {
  return byScore(scoresOf(features, count), tieBreak);
}

export function byScore(scores: Float32Array, tieBreak: (a: number, b: number) => number): Ranked {
  const order: number[] = [];
  for (let at = 0; at < scores.length; at += 1) order.push(at);
  order.sort((a, b) => {
    const difference = scores[b]! - scores[a]!;
    // Return whole numbers: V8 allocates memory for each fraction that is returned.
    return difference > 0 ? 1 : difference < 0 ? -1 : tieBreak(a, b);
  });
  return { order, scores };
}

/** What each feature contributes to one candidate's score, and `learned` where requests add to any. */
export function contributionsOf(
  features: Features,
  at: number,
  learned: Float32Array | null = null,
): Record<string, number> {
  const parts = Object.fromEntries(WEIGHTED.map(([name, weight]) => [name, weight * features[name][at]!]));
  return learned === null ? parts : { ...parts, learned: learned[at]! };
}

/** What more of each feature says about a skill, as a clause after "because". */
const MEANINGS: Readonly<Record<FeatureName | 'learned', string>> = {
  words: 'its words match the query better',
  coverage: 'it contains more of the query’s words',
  passage: 'one of its passages contains more of the query’s words',
  identifiers: 'it has more of the query’s code identifiers',
  name: 'the query contains more of its name',
  cardShare: 'its name and description are nearer in meaning',
  bestShare: 'one of its passages is nearer in meaning',
  elsewhere: 'the other one’s description sends such requests elsewhere',
  product: 'the other one is about another product than the query names',
  learned: 'it answers similar requests',
};

/** What candidate `ahead` has over candidate `behind`; both are columns of the features. */
export function separation(
  features: Features,
  ahead: number,
  behind: number,
  learned: Float32Array | null = null,
): Omit<Lead, 'over'> {
  const parts = contributionsOf(features, ahead, learned);
  const others = contributionsOf(features, behind, learned);
  const by = (Object.keys(parts) as (keyof typeof MEANINGS)[])
    .map((feature) => ({
      feature,
      difference: parts[feature]! - others[feature]!,
      meaning: MEANINGS[feature],
    }))
    .sort((a, b) => b.difference - a.difference);
  return { margin: by.reduce((sum, { difference }) => sum + difference, 0), by };
}
