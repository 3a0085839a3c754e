/** What kinds of characters there are, as far as finding words is concerned. */

/** Neither part of a word nor between its parts. */
export const OTHER = 0;
/** May stand between two words of one name: `docker-compose`, `node.js`, `src/main`, `user's`. */
export const JOINER = 1;
/** Written without spaces between words: Han, kana, Hangul, Thai, Lao, Khmer, Myanmar. */
export const UNSPACED = 2;
/** From here on: part of a word. Letters outside ASCII have no case here: only ASCII names are split at humps. */
export const LETTER = 3;
export const LOWER = 4;
export const UPPER = 5;
export const DIGIT = 6;
/** Not in the table; never leaves this file. */
const UNKNOWN = 255;

/**
 * Kind of each UTF-16 unit, found out at its first use: filling the table would cost 10 ms of every start.
 * First halves of pairs stay unknown, since they mean nothing without the second.
 */
const kinds = new Uint8Array(0x10000).fill(UNKNOWN);
kinds.fill(OTHER, 0, 0x80);
kinds.fill(OTHER, 0xdc00, 0xe000);
// Dashes, quotes, bullets, arrows, boxes and signs, in blocks that hold no letter, digit or mark: nearly all that texts
// have beside letters. Asking for one loads the scripts below, 3 ms of a start.
kinds.fill(OTHER, 0x2000, 0x2070);
kinds.fill(OTHER, 0x2190, 0x2460);
kinds.fill(OTHER, 0x2500, 0x2776);
kinds.fill(DIGIT, 0x30, 0x3a);
kinds.fill(UPPER, 0x41, 0x5b);
kinds.fill(LOWER, 0x61, 0x7b);
for (const joiner of "-_./'’") kinds[joiner.charCodeAt(0)] = JOINER;

const UNSPACED_SCRIPTS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]$/u;
/** Marks belong to the letter before them: without them, Indic words would fall apart. */
const WORD = /^[\p{L}\p{N}\p{M}]$/u;

/** Kind of the character at `at`; beyond the end, OTHER. */
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
