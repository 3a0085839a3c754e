/**
 * In which language a text is written. Scripts and letters decide where they can; English is recognised by its words. Only
 * a text in Latin letters with signs of another language is given to tinyld, which loads at its first use. Compared with eld
 * and franc-min in `bench/TRIED.md`.
 */

import { isGrammar } from '../analysis/grammar.ts';
import { LONGEST_RUN, runAt } from '../analysis/run.ts';
import { hasWordWeight } from '../query/word-weights.ts';
import { languageByLetters, languageByScript } from './script.ts';

/** Characters of a text that are read: the rest of a longer one changes nothing. */
const SAMPLE = 1_000;
/** Fewer words are too little to judge by: names of products are in any language. */
const MIN_WORDS = 4;
/**
 * A text is English if at least this share of its words is known from English requests. English queries have 0.86 in the
 * median, 0.5 at the first percentile; those in other languages 0.21, at most 0.44.
 */
const ENGLISH_SHARE = 0.45;
/** Least share of words that are foreign function words or have letters that English does not: a sign of another language. */
const FOREIGN_SHARE = 1 / 16;

/** What is no word of a language: links, paths, code, numbers. */
const CODE = /[\\/_=<>{}()[\]@#:.]\S|\d/;
const WORD = /\p{L}[\p{L}\p{M}'’]+/gu;
/** The same for a text of ASCII, many times as fast. */
const ASCII_WORD = /[A-Za-z][A-Za-z']+/g;
const NOT_ASCII = /[^\0-\x7f]/;
/** A word with a letter that English does not have. Names do not count: any language writes them. */
const FOREIGN_LETTER = /^(?=\p{Ll}).*[^\0-\x7f’]/u;

/** Latin languages that tinyld tells apart, as it calls them. */
const LATIN = [
  'eng',
  'deu',
  'fra',
  'spa',
  'por',
  'ita',
  'nld',
  'swe',
  'fin',
  'nob',
  'hun',
  'ron',
  'pol',
  'tur',
];

/**
 * ISO 639-1 code of the text's language; null where there is too little text to be sure: keywords, code, names. Never
 * throws.
 */
export async function languageOf(text: string): Promise<string | null> {
  const sample = text.slice(0, SAMPLE).toWellFormed();
  const byScript = languageByScript(sample);
  if (byScript !== null) return byScript;
  const words = sample
    .split(/\s+/)
    .flatMap((part) => (CODE.test(part) ? [] : (part.match(NOT_ASCII.test(part) ? WORD : ASCII_WORD) ?? [])));
  if (words.length < MIN_WORDS) return null;
  const signs = signsOf(words);
  if (signs.english >= ENGLISH_SHARE * words.length) return signs.functionWords > 0 ? 'en' : null;
  if (signs.foreign === 0 || signs.foreign < FOREIGN_SHARE * words.length) return null;
  const letters = words.join(' ');
  const byLetters = languageByLetters(letters);
  if (byLetters !== null) return byLetters;
  const { detect } = await import('tinyld/light');
  const found = detect(letters, { only: LATIN });
  return found === '' || found === 'en' ? null : found;
}

interface Signs {
  /** Words that English requests have, function words among them. */
  readonly english: number;
  readonly functionWords: number;
  /** Function words of other languages, and words with letters that English does not have. */
  readonly foreign: number;
}

function signsOf(words: readonly string[]): Signs {
  let [english, functionWords, foreign] = [0, 0, 0];
  for (const word of words) {
    if (word.length > LONGEST_RUN) continue;
    // Cached, unlike `stem`. A stop word has no term.
    const [term] = runAt(word, 0, word.length).terms;
    if (term === undefined) functionWords += 1;
    if (term === undefined || hasWordWeight(term)) english += 1;
    if ((NOT_ASCII.test(word) && FOREIGN_LETTER.test(word)) || (term !== undefined && isGrammar(term)))
      foreign += 1;
  }
  return { english, functionWords, foreign };
}
