/** Languages that their script or letters give away, without a library. */

/** A Chinese or Japanese word has two characters, one in Latin letters five. */
const IDEOGRAPH_LETTERS = 3;
/** Fewer letters of a script in a text are a quotation or a name. */
const MIN_LETTERS = 4;

const NOT_ASCII = /[^\0-\x7f]/;
const NOT_LATIN = /[^\P{L}\p{Script=Latin}]/gu;
const LATIN = /\p{Script=Latin}/gu;

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
export function languageByScript(text: string): string | null {
  if (!NOT_ASCII.test(text) || count(text, NOT_LATIN) < MIN_LETTERS) return null;
  const latin = count(text, LATIN);
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
export function languageByLetters(text: string): string | null {
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
