/** One word → the term under which it is indexed, or none for a stop word. */

import { stemmer } from 'stemmer';

/**
 * English function words, and the words that introduce nearly every skill ("Use this skill when you need to …"): they
 * do not distinguish documents. Folded, not stemmed. `bench/TRIED.md` has the comparison with other lists.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a also am an and are as at be been but by can could do does don eg etc for from has have how i ie if
  in into is it its just me my of on or our please should so than that the their them then there these
  they this those to was we were what when which who will with would you your
  help need needs skill skills use used user users using want wants`.split(/\s+/),
);

/** Longer words are not stemmed: English inflected words are shorter, and the stemmer is quadratic. */
const LONGEST_STEMMED = 30;

const ENGLISH = /^[a-z]+$/;
const NOT_ASCII = /[^\0-\x7f]/;
const ACCENTS = /[\u0300-\u036f]+/g;

/** Lower case without accents, full-width forms and ligatures (Unicode NFKD, then NFC). */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC') : lower;
}

/** Term of a folded word: its Porter stem if it has only English letters, otherwise the word itself. */
export function stem(folded: string): string {
  return folded.length <= LONGEST_STEMMED && ENGLISH.test(folded) ? stemmer(folded) : folded;
}

/**
 * The common prefix of a term and all English words with that stem. Stemming changes at most the last two letters, and
 * at most the last one of a term of four letters or fewer.
 */
export const rootOf = (term: string) => term.slice(0, Math.max(1, term.length - (term.length > 4 ? 2 : 1)));
