/**
 * In which language a text is written. Scripts and letters decide where they can; English is recognised by its words. Only
 * a text in Latin letters with signs of another language is given to tinyld, which loads at its first use. Compared with eld
 * and franc-min in `bench/TRIED.md`.
 */

import { isGrammar } from '../analysis/grammar.ts';
import { LONGEST_RUN, runAt } from '../analysis/run.ts';
import { hasWordWeight } from '../query/word-weights.ts';

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

/** A Chinese or Japanese word has two characters, one in Latin letters five. */
const IDEOGRAPH_LETTERS = 3;
/** Fewer letters of a script in a text are a quotation or a name. */
const MIN_LETTERS = 4;

const NOT_LATIN = /[^\P{L}\p{Script=Latin}]/gu;
const LATIN_LETTER = /\p{Script=Latin}/gu;

/** Scripts with what a letter counts compared with a Latin one, and the language of a text in them. */
const SCRIPTS: readonly {
  readonly letters: RegExp;
  readonly weight: number;
  readonly language: (text: string) => string;
}[] = [
  {
    letters: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    weight: IDEOGRAPH_LETTERS,
    language: (text) => (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : 'zh'),
  },
  { letters: /\p{Script=Hangul}/gu, weight: 2, language: () => 'ko' },
  { letters: /\p{Script=Cyrillic}/gu, weight: 1, language: cyrillic },
  { letters: /\p{Script=Arabic}/gu, weight: 1, language: arabic },
  ...Object.entries({
    Greek: 'el',
    Hebrew: 'he',
    Devanagari: 'hi',
    Bengali: 'bn',
    Tamil: 'ta',
    Telugu: 'te',
    Gujarati: 'gu',
    Kannada: 'kn',
    Malayalam: 'ml',
    Thai: 'th',
    Lao: 'lo',
    Khmer: 'km',
    Myanmar: 'my',
    Armenian: 'hy',
    Georgian: 'ka',
  }).map(([script, language]) => ({
    letters: new RegExp(`\\p{Script=${script}}`, 'gu'),
    weight: 1,
    language: () => language,
  })),
];

/** The language of a text that is mostly in another script than Latin; null for others. */
function languageByScript(text: string): string | null {
  if (!NOT_ASCII.test(text) || count(text, NOT_LATIN) < MIN_LETTERS) return null;
  const latin = count(text, LATIN_LETTER);
  let best: string | null = null;
  let most = latin;
  for (const { letters, weight, language } of SCRIPTS) {
    const found = count(text, letters);
    if (found < MIN_LETTERS || found * weight < most) continue;
    most = found * weight;
    best = language(text);
  }
  return best;
}

/** The language of a text in Latin letters that only one language has; null for others. */
function languageByLetters(text: string): string | null {
  if (count(text, /[ơưđ\u1ea0-\u1ef9]/giu) > 1) return 'vi';
  return count(text, /[ěřů]/giu) > 1 ? 'cs' : null;
}

const count = (text: string, letters: RegExp) => text.match(letters)?.length ?? 0;

function cyrillic(text: string): string {
  if (/[іїєґ]/i.test(text)) return 'uk';
  if (/[ђјљњћџ]/i.test(text)) return 'sr';
  return /ъ/i.test(text) && !/[ыэё]/i.test(text) ? 'bg' : 'ru';
}

function arabic(text: string): string {
  if (/[ٹڈڑے]/.test(text)) return 'ur';
  return /[پچژگ]/.test(text) ? 'fa' : 'ar';
}
