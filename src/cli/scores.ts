/** What a score consists of, and why one skill ranks before another, in words. */

import type { Lead } from '../search/answer.ts';
import type { FeatureName } from '../search/features.ts';

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
  learned: 'requests that it answers',
};

/** Smaller differences are left out: scores are shown with three digits. */
const LEAST = 0.0005;

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
