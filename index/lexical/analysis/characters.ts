/** The character classes that word segmentation needs. */

/** Neither part of a word nor a joiner. */
export const OTHER = 0;
/** Can join two words of one name: `docker-compose`, `node.js`, `src/main`, `user's`. */
export const JOINER = 1;
/** Scripts without spaces between words: Han, kana, Hangul, Thai, Lao, Khmer, Myanmar. */
export const UNSPACED = 2;
/**
 * From here on: part of a word. Letters outside ASCII have no case here, because only ASCII names split at camelCase
 * humps.
 */
export const LETTER = 3;
export const LOWER = 4;
export const UPPER = 5;
export const DIGIT = 6;
/** Not classified yet; never leaves this file. */
const UNKNOWN = 255;

/**
 * Class of each UTF-16 unit, found at its first use: filling the whole table would cost 10 ms of every start. High
 * surrogates stay unknown, because they mean nothing without the low surrogate.
 */
const kinds = new Uint8Array(0x10000).fill(UNKNOWN);
kinds.fill(OTHER, 0, 0x80);
kinds.fill(OTHER, 0xdc00, 0xe000);
// Dashes, quotes, bullets, arrows, boxes and signs, in blocks without letters, digits or marks. They are nearly all
// non-ASCII punctuation of real texts. Classifying one by regular expression would load the script tables below, 3 ms
// of a start.
kinds.fill(OTHER, 0x2000, 0x2070);
kinds.fill(OTHER, 0x2190, 0x2460);
kinds.fill(OTHER, 0x2500, 0x2776);
kinds.fill(DIGIT, 0x30, 0x3a);
kinds.fill(UPPER, 0x41, 0x5b);
kinds.fill(LOWER, 0x61, 0x7b);
for (const joiner of "-_./'’") kinds[joiner.charCodeAt(0)] = JOINER;

const UNSPACED_SCRIPTS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ーｰﾞﾟ\u3099\u309a]$/u;
/** A mark belongs to the letter before it; otherwise Indic words would fall apart. */
const WORD = /^[\p{L}\p{N}\p{M}]$/u;

/** Class of the character at `at`; OTHER beyond the end. */
export function kindAt(text: string, at: number): number {
  if (at >= text.length) return OTHER;
  const kind = kinds[text.charCodeAt(at)]!;
  return kind === UNKNOWN ? lookUp(text, at) : kind;
}

/** UTF-16 units of the character at `at`: 2 for a surrogate pair. */
export function widthAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}

function lookUp(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const character = String.fromCodePoint(text.codePointAt(at)!);
  const kind = UNSPACED_SCRIPTS.test(character) ? UNSPACED : WORD.test(character) ? LETTER : OTHER;
  if (unit < 0xd800 || unit > 0xdbff) kinds[unit] = kind;
  return kind;
}
