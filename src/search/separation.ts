/** What puts one skill before another: the difference of their scores, feature by feature, and in words. */

import type { Lead } from './answer.ts';
import type { FeatureName, Features } from './features.ts';
import { partsOf } from './rank.ts';

/** How each feature speaks for a skill, to go on after "because" or "although the other …". */
const MEANINGS: Readonly<Record<FeatureName, string>> = {
  words: 'its words match the query better',
  cardWords: 'its name and description share more words with the query',
  coverage: 'it holds more of the words of the query',
  nameInQuery: 'the query says more of its name',
  passage: 'one of its passages holds more of the words of the query',
  identifiers: 'it has more of the query’s names of code',
  card: 'its name and description are nearer in meaning',
  best: 'one of its passages is nearer in meaning',
  cardShare: 'its name and description are nearer in meaning',
  bestShare: 'one of its passages is nearer in meaning',
};

/** Differences smaller than this say nothing: three digits of a score are shown. */
const LEAST = 0.0005;

/** What candidate `ahead` has over candidate `behind`; numbers of columns of the features. */
export function separation(features: Features, ahead: number, behind: number): Omit<Lead, 'over'> {
  const parts = partsOf(features, ahead);
  const others = partsOf(features, behind);
  const by = (Object.keys(parts) as FeatureName[])
    .map((feature) => ({
      feature,
      difference: parts[feature]! - others[feature]!,
      meaning: MEANINGS[feature],
    }))
    .sort((a, b) => b.difference - a.difference);
  return { margin: by.reduce((sum, { difference }) => sum + difference, 0), by };
}

/** As a sentence goes on: `by 0.12, because its words match the query better (+0.10) …`. */
export function separationText({ margin, by }: Omit<Lead, 'over'>): string {
  const named = ({ meaning, difference }: Lead['by'][number]) =>
    `${meaning} (${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(3)})`;
  const more = by.filter(({ difference }) => difference >= LEAST).map(named);
  const less = by.filter(({ difference }) => difference <= -LEAST).map(named);
  if (more.length === 0 && less.length === 0)
    return `by ${margin.toFixed(3)}: nothing tells them apart but the order of the catalog`;
  const because = more.length === 0 ? '' : `, because ${more.join(', and ')}`;
  const although = less.length === 0 ? '' : `; for the other one: ${less.toReversed().join(', and ')}`;
  return `by ${margin.toFixed(3)}${because}${although}`;
}
