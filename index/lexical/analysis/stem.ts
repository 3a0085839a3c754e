/** One word → the term under which it is indexed, or none. */

import { stemmer } from 'stemmer';

/**
 * English function words, and the words with which nearly every skill is introduced ("Use this skill when you
 * need to …"): they tell no document from another. Folded, not stemmed. Measured on the 887 queries of
 * shared/data (Hit@1 / nDCG@10, dev and skill-evals): with this list 46.8 / 60.6 and 63.2 / 73.5, without the
 * introducing words 45.0 / 59.9 and 62.7 / 73.3, with question words, "all", "not" and "some" besides 46.8 / 59.9
 * and 63.1 / 73.4.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a also am an and are as at be been but by can could do does don eg etc for from has have how i ie if
  in into is it its just me my of on or our please should so than that the their them then there these
  they this those to was we were what when which who will with would you your
  help need needs skill skills use used user users using want wants`.split(/\s+/),
);

/** Longer words are left as they are: no English inflection is that long, and the stemmer is quadratic. */
const LONGEST_STEMMED = 30;

const ENGLISH = /^[a-z]+$/;
const NOT_ASCII = /[^\0-\x7f]/;
const ACCENTS = /[\u0300-\u036f]+/g;

/** Lower case, without accents, full-width and ligature forms resolved (Unicode NFKD, then NFC). */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC') : lower;
}

/** Term of a folded word: its Porter stem where it is made of English letters, else the word itself. */
export function stem(folded: string): string {
  return folded.length <= LONGEST_STEMMED && ENGLISH.test(folded) ? stemmer(folded) : folded;
}

/**
 * What a term and each English word that it is the stem of begin with: stemming changes two letters at most, the last
 * one alone of four letters and fewer.
 */
export const rootOf = (term: string) => term.slice(0, Math.max(1, term.length - (term.length > 4 ? 2 : 1)));
