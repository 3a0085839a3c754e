/**
 * One word without joiners → its terms: the word itself, and where it is written as several, its parts.
 *
 * Measured on the 887 queries of shared/data (Hit@1 / nDCG@10 on dev and skill-evals, no references): humps split
 * but two-hump product names whole 43.1 / 60.0 and 59.5 / 70.2; all humps split 43.1 / 59.6 and 59.3 / 70.2. Parts
 * without the whole cost 2 to 3 points on both.
 */

import { DIGIT, kindAt, LOWER, UPPER } from './characters.ts';
import { fold, STOP_WORDS, stem } from './stem.ts';

/** Where a word or a part of one stands, UTF-16 units. */
export type Span = readonly [from: number, to: number];

/** Characters of the longest term: longer ones are generated, and nobody asks for them. */
export const LONGEST_TERM = 40;

/** Shorter words are never taken for encoded data, characters. */
const SHORTEST_BLOB = 16;

/** Takes a term, where it stands in the word, and whether it counts for the length of the field. */
export type TermVisitor = (term: string, from: number, to: number, counts: boolean) => void;

/** Calls back for each term of a word, the whole before its parts. Nothing for stop words and encoded data. */
export function eachTerm(word: string, visit: TermVisitor): void {
  const symbol = SYMBOLS.get(word);
  if (symbol !== undefined) visit(symbol, 0, word.length, true);
  else if (word.length <= LONGEST_TERM && !isBlob(word)) {
    const parts = partsOf(word);
    visitFolded(fold(word), 0, word.length, parts.length === 0, visit);
    for (const [from, to] of parts) visitFolded(fold(word.slice(from, to)), from, to, true, visit);
  }
}

/** Calls back with the term of a folded word, unless it is a stop word. */
export function visitFolded(
  folded: string,
  from: number,
  to: number,
  counts: boolean,
  visit: TermVisitor,
): void {
  if (folded !== '' && !STOP_WORDS.has(folded)) visit(stem(folded), from, to, counts);
}

/** Names that end in symbols, under those that are written where symbols cannot be. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['c++', 'cpp'],
  ['C++', 'cpp'],
  ['c#', 'csharp'],
  ['C#', 'csharp'],
  ['f#', 'fsharp'],
  ['F#', 'fsharp'],
]);

/**
 * Parts of a word: the humps of camelCase, or the name before a version (python of python3; of three letters or
 * more: S3 and k8s are one). None where it is one part. Capitalised words of two humps (GitHub, JavaScript,
 * PostgreSQL) stay whole: their halves mislead.
 */
function partsOf(word: string): Span[] {
  const humps = humpsOf(word);
  if (humps.length === 2 && kindAt(word, 0) === UPPER) return [];
  if (humps.length > 1) return humps;
  const name = /^[A-Za-z]{3,}(?=[0-9]+$)/.exec(word);
  return name === null ? [] : [[0, name[0].length]];
}

/**
 * A hump begins at a capital after a small letter or digit, and at the last of several capitals where two small
 * letters follow (HTTPServer, but APIs is one). A lone first letter stays with the next: iPhone.
 */
function humpsOf(word: string): Span[] {
  const humps: Span[] = [];
  let from = 0;
  for (let at = 2; at < word.length; at += 1) {
    if (at - from < 2 || kindAt(word, at) !== UPPER) continue;
    const before = kindAt(word, at - 1);
    const opens =
      before === LOWER ||
      before === DIGIT ||
      (before === UPPER && kindAt(word, at + 1) === LOWER && kindAt(word, at + 2) === LOWER);
    if (!opens) continue;
    humps.push([from, at]);
    from = at;
  }
  humps.push([from, word.length]);
  return humps;
}

/** True for 16 or more hexadecimal digits, letters and numbers among them. */
export function isHexadecimal(word: string): boolean {
  return word.length >= SHORTEST_BLOB && HEXADECIMAL.test(word);
}

const HEXADECIMAL = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]+$/i;

/**
 * True for what looks like a hash, key or base64 rather than a word: 16 characters or more that are hexadecimal,
 * in which letters and digits change places four times, or in which case or kind changes at every third character.
 */
export function isBlob(word: string): boolean {
  if (word.length < SHORTEST_BLOB) return false;
  let switches = 0;
  let humps = 0;
  let before = kindAt(word, 0);
  for (let at = 1; at < word.length; at += 1) {
    const kind = kindAt(word, at);
    if ((before === DIGIT) !== (kind === DIGIT)) switches += 1;
    else if (before === LOWER && kind === UPPER) humps += 1;
    before = kind;
  }
  return switches >= 4 || (switches + humps) * 3 >= word.length || HEXADECIMAL.test(word);
}
