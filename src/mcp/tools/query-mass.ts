/** How much of a query a text says, and which passage says more of it than a skill's card. */

import { findTerms } from '../../../index/lexical/query/find-terms.ts';
import { bare } from '../../base/text.ts';
import type { QueryWord, SearchHit } from '../../search/answer.ts';

/** Cached by the words of a query: an answer measures the same sentences for each line length. */
const measured = new WeakMap<readonly QueryWord[], Map<string, number>>();

/** Sum of the weights of the words that the text contains. */
export function measureMass(text: string, words: readonly QueryWord[]): number {
  const masses = measured.get(words) ?? new Map<string, number>();
  measured.set(words, masses);
  if (masses.has(text)) return masses.get(text)!;
  const found = new Set(findTerms(text, new Set(words.map(({ term }) => term))).map(({ term }) => term));
  const mass = words.reduce((sum, { term, weight }) => sum + (found.has(term) ? weight : 0), 0);
  masses.set(text, mass);
  return mass;
}

/**
 * Where a hit was found, if not by its card: `references/limits.md:40-62`, to be opened with read_reference. Undefined where name and description already say as much of the query as the
 * best passage.
 */
export function findPointer(
  { entry, evidence }: Pick<SearchHit, 'entry' | 'evidence'>,
  words: readonly QueryWord[],
): string | undefined {
  const [best] = evidence;
  if (best === undefined || best.path === entry.file) return undefined;
  const card = measureMass(`${entry.name} ${entry.description} ${entry.tags.join(' ')}`, words);
  const passage = measureMass(best.terms.join(' '), words);
  return passage > card ? `${bare(best.path)}:${best.lines[0]}-${best.lines[1]}` : undefined;
}
