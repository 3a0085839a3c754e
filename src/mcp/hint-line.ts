/** The line that a prompt hook adds to a prompt: which skills may fit it, or nothing. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchAnswer } from '../search/answer.ts';

/** Fit from which there is a line (`npm run bench -- hint`). */
export const MIN_HINT_FIT = 0.65;
/** Most skills of a line. */
export const HINT_SKILLS = 3;
/** Characters of a prompt that are searched: the request, without most of a pasted log. */
const PROMPT_CHARACTERS = 4_000;
/** Ids in a line of a prompt: what no folder of a skill can turn into a sentence. */
export const PLAIN_ID = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,199}$/u;

/**
 * Words of a prompt from which it is searched. Shorter ones are mostly replies ("yes, go on"), and the words of a reply fit some
 * skill by chance: without this limit the hook speaks for most of them.
 */
const MIN_WORDS = 8;

/** What to search for; null for a prompt that says too little, or is a command of the host, such as /clear. */
export function queryOf(prompt: string): string | null {
  const query = prompt.slice(0, PROMPT_CHARACTERS).trim();
  return wordsIn(query) < MIN_WORDS || /^\/[\w:-]+(\s|$)/.test(query) ? null : query;
}

/** In scripts without spaces, two characters count as a word. */
function wordsIn(text: string): number {
  const unspaced =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)?.length ?? 0;
  return words + unspaced / 2;
}

/** Null where the fit is too low. Skills that were deleted since they were indexed are left out. */
export function hintLine(
  { fit, hits }: Pick<SearchAnswer, 'fit' | 'hits'>,
  minFit: number = MIN_HINT_FIT,
): string | null {
  if (fit === null || fit < minFit) return null;
  const ids = hits
    .slice(0, HINT_SKILLS)
    .filter(({ entry }) => PLAIN_ID.test(entry.id) && existsSync(join(entry.folder, entry.file)))
    .map(({ entry }) => entry.id);
  return ids.length === 0
    ? null
    : `Skills that may fit: ${ids.join(', ')}. Load one with load_skill or search with search_skills.`;
}
