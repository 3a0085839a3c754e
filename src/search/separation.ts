/** Why one skill ranks before another: the difference of their scores by feature, as numbers and as text. */

import type { Lead } from './answer.ts';
import type { FeatureName, Features } from './features.ts';
import { contributionsOf } from './rank.ts';

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
  learned: 'it was loaded for similar requests',
};

/** Names of the features for people. */
export const FEATURE_TITLES: Readonly<Record<FeatureName | 'learned', string>> = {
  words: 'words in name, description and text',
  cardShare: 'meaning of name and description',
  bestShare: 'meaning of the best passage',
  coverage: 'how many words of the query',
  passage: 'words together in one passage',
  identifiers: 'names from code',
  name: "the skill's own name in the query",
  elsewhere: 'what the description sends elsewhere',
  product: 'another product than the query names',
  learned: 'loaded for such requests',
};

/** Smaller differences are left out: scores are shown with three digits. */
const LEAST = 0.0005;

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

/** The end of a sentence: `by 0.12, because its words match the query better (+0.10) …`. */
export function separationText({ margin, by }: Omit<Lead, 'over'>): string {
  const named = ({ meaning, difference }: Lead['by'][number]) =>
    `${meaning} (${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(3)})`;
  const more = by.filter(({ difference }) => difference >= LEAST).map(named);
  const less = by.filter(({ difference }) => difference <= -LEAST).map(named);
  if (more.length === 0 && less.length === 0)
    return `by ${margin.toFixed(3)}: only the order of the catalog separates them`;
  const because = more.length === 0 ? '' : `, because ${more.join(', and ')}`;
  const although = less.length === 0 ? '' : `; for the other one: ${less.toReversed().join(', and ')}`;
  return `by ${margin.toFixed(3)}${because}${although}`;
}
