/**
 * What nearly every document calls itself: a skill. Elsewhere a stop word (`stem.ts`); in a name it is the subject, so names
 * are indexed with it, and queries about it are searched for it.
 */

import type { Token } from './analyzer.ts';
import { STOP_WORDS } from './stem.ts';

/** Its term. No word has this stem. */
export const OWN_KIND = 'skills';

const WORDS = /(?<![\p{L}\p{N}])skills?(?![\p{L}\p{N}])/giu;
const NEXT_WORD = /^\s+([a-z]+)/i;

export const namesOwnKind = (name: string) => name.search(WORDS) >= 0;

/**
 * Its first occurrence in a query with these other tokens. Null if there is none, or if it only introduces them: "a skill
 * for …", "is there a skill that …", but not "write a skill for …".
 */
export function ownKindIn(query: string, others: readonly Token[]): Token | null {
  const from = query.search(WORDS);
  if (from < 0) return null;
  const to = from + (query.charAt(from + 'skill'.length).toLowerCase() === 's' ? 6 : 5);
  const [, next = ''] = NEXT_WORD.exec(query.slice(to)) ?? [];
  const introduces = STOP_WORDS.has(next.toLowerCase()) && !others.some((token) => token.from < from);
  return introduces ? null : { term: OWN_KIND, from, to };
}
