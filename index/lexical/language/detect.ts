/**
 * In which language a text is written. Scripts and letters decide where they can; English is recognised by its words. Only
 * a text in Latin letters that is not is given to eld, which loads at its first use. Compared with tinyld and franc-min in
 * `bench/TRIED.md`.
 */

import { isFunctionWord, isGrammar } from '../analysis/grammar.ts';
import { LONGEST_RUN, runAt } from '../analysis/run.ts';
import { hasWordWeight } from '../query/word-weights.ts';

/** Characters of a text that are read: the rest of a longer one changes nothing. */
const SAMPLE = 1_000;
/** Fewer words are too little to call a text English: names of products are in any language. */
const MIN_WORDS = 4;
/**
 * A text is English if at least this share of its words is known from English requests. English queries have 0.86 in the
 * median, 0.5 at the first percentile; those in other languages 0.21, at most 0.44.
 */
const ENGLISH_SHARE = 0.45;
/** A request of another language has at least so many. */
const MIN_FOREIGN_WORDS = 2;
/**
 * How far ahead of English a language must be, 0–1, where a word is its function word or has a letter that English has not.
 * Without such a sign names and typing errors look foreign: then the second language must be behind too, the more words are
 * known from English requests the further. Of 8,697 English requests one is called foreign.
 */
const SIGNED = { ahead: 0.05 };
const UNSIGNED = [
  { most: 0.3, score: 0.67, ahead: 0.05 },
  { most: 0.5, score: 0.74, ahead: 0.1 },
];
/** Share of words known from English requests above which a text without such a sign is not looked at. */
const MAX_KNOWN = 0.5;

/** What is no word of a language: links, paths, code, numbers. */
const CODE = /[\\/_=<>{}()[\]@#:.]\S|\d/;
const WORD = /\p{L}[\p{L}\p{M}'’]*/gu;
const CAPITAL = /^\p{Lu}/u;
/** The same for a text of ASCII, many times as fast. */
const ASCII_WORD = /[A-Za-z][A-Za-z']*/g;
const NOT_ASCII = /[^\0-\x7f]/;
/** A word with a letter that English does not have. Names do not count: any language writes them. */
const FOREIGN_LETTER = /^(?=\p{Ll}).*[^\0-\x7f’]/u;

/** Languages in Latin letters that are recognised. Those of the second line are rarer: a doubtful text is in none of them. */
const COMMON = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr'];
const RARE = ['sv', 'fi', 'no', 'da', 'hu', 'ro', 'cs', 'vi'];
/** The build leaves the others out of eld's table. */
export const LATIN_LANGUAGES = [...COMMON, ...RARE];
/** What is taken from the score of a rare language, 0–1, and added to that of a text of nothing but function words. */
const RARE_PENALTY = 0.05;
const FUNCTION_WORDS = 0.3;

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
  const long = words.filter((word) => word.length > 1);
  const signs = signsOf(long);
  const known = signs.english / long.length;
  if (signs.functionWords > 0 && known >= ENGLISH_SHARE && long.length >= MIN_WORDS) return 'en';
  if (long.length < MIN_FOREIGN_WORDS || (signs.foreign === 0 && known > MAX_KNOWN)) return null;
  // Names.
  if (long.every((word) => CAPITAL.test(word))) return null;
  return languageByLetters(words.join(' ')) ?? (await latinLanguage(words, signs.foreign > 0, known));
}

/**
 * The language of a text in Latin letters that is not plainly English; null if it is in doubt. `known`: share of its words
 * that English requests have.
 */
async function latinLanguage(
  words: readonly string[],
  isForeign: boolean,
  known: number,
): Promise<string | null> {
  const { eld } = await import('eld/small');
  eld.setLanguageSubset(LATIN_LANGUAGES);
  const scores = eld.detect(words.join(' ')).getScores();
  // A name may look like a function word: São Paulo.
  const lower = words.filter((word, at) => at === 0 || !CAPITAL.test(word));
  const [best, second] = Object.entries(scores)
    .map(([language, score]) => {
      const functionWords = lower.filter((word) =>
        language === 'en' ? isStopWord(word) : isFunctionWord(word, language),
      );
      const bonus = (FUNCTION_WORDS * functionWords.length) / words.length;
      return {
        language,
        isSigned: isForeign || functionWords.some((word) => !isStopWord(word)),
        score: score + bonus - (RARE.includes(language) ? RARE_PENALTY : 0),
      };
    })
    .sort((a, b) => b.score - a.score);
  if (best === undefined || best.language === 'en') return null;
  const overEnglish = best.score - (scores.en ?? 0);
  const isAhead = (least: number) => overEnglish >= least && best.score - (second?.score ?? 0) >= least;
  const isSure = best.isSigned
    ? overEnglish >= SIGNED.ahead
    : UNSIGNED.some(({ most, score, ahead }) => known <= most && best.score >= score && isAhead(ahead));
  return isSure ? best.language : null;
}

interface Signs {
  /** Words that English requests have, function words among them. */
  readonly english: number;
  readonly functionWords: number;
  /** Function words of other languages, and words with letters that English does not have. */
  readonly foreign: number;
}

/** Undefined for an English stop word. Cached, unlike `stem`. */
const termOf = (word: string) => runAt(word, 0, word.length).terms[0];
const isStopWord = (word: string) => word.length <= LONGEST_RUN && termOf(word) === undefined;

function signsOf(words: readonly string[]): Signs {
  let [english, functionWords, foreign] = [0, 0, 0];
  for (const word of words) {
    if (word.length > LONGEST_RUN) continue;
    const term = termOf(word);
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
