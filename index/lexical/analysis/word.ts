/** One word without joiners → its terms: the word itself and, if it is a compound, its parts. */

import { DIGIT, kindAt, LOWER, UPPER } from './characters.ts';
import { fold, STOP_WORDS, stem } from './stem.ts';

/** Position of a word or part, UTF-16 units. */
export type Span = readonly [from: number, to: number];

/** Longest term, characters. Longer ones are machine-made, and no query has them. */
export const LONGEST_TERM = 40;

/** Shortest word that can be encoded data, characters. */
const SHORTEST_BLOB = 16;

/** Receives a term, its position in the word, and whether it counts for the length of the field. */
type TermVisitor = (term: string, from: number, to: number, counts: boolean) => void;

/** Calls `visit` for each term of a word, the whole before its parts. Skips stop words and encoded data. */
export function eachTerm(word: string, visit: TermVisitor): void {
  const symbol = SYMBOLS.get(word);
  if (symbol !== undefined) visit(symbol, 0, word.length, true);
  else if (word.length <= LONGEST_TERM && !isBlob(word)) {
    const parts = partsOf(word);
    visitFolded(fold(word), 0, word.length, parts.length === 0, visit);
    for (const [from, to] of parts) visitFolded(fold(word.slice(from, to)), from, to, true, visit);
  }
}

/** Calls `visit` with the term of a folded word unless it is a stop word. */
export function visitFolded(
  folded: string,
  from: number,
  to: number,
  counts: boolean,
  visit: TermVisitor,
): void {
  if (folded !== '' && !STOP_WORDS.has(folded)) visit(stem(folded), from, to, counts);
}

/** Names that end in symbols, with their usual spelling in file names and tags. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['c++', 'cpp'],
  ['C++', 'cpp'],
  ['c#', 'csharp'],
  ['C#', 'csharp'],
  ['f#', 'fsharp'],
  ['F#', 'fsharp'],
]);

/**
 * Parts of a word: its camelCase humps, or the name before a version number (python of python3). The name needs three
 * letters, because S3 and k8s are one term. Empty if the word is a single part. Capitalised words of two humps (GitHub,
 * JavaScript, PostgreSQL) stay whole, because their halves mislead. `bench/TRIED.md` has the comparison.
 */
function partsOf(word: string): Span[] {
  const humps = humpsOf(word);
  if (humps.length === 2 && kindAt(word, 0) === UPPER) return [];
  if (humps.length > 1) return humps;
  const name = /^[A-Za-z]{3,}(?=[0-9]+$)/.exec(word);
  return name === null ? [] : [[0, name[0].length]];
}

/**
 * A hump starts at a capital after a lower-case letter or digit, and at the last of several capitals if two lower-case
 * letters follow (HTTPServer; but APIs is one hump). A single first letter stays with the next hump: iPhone.
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

/** True for at least 16 hexadecimal digits with both letters and numbers. */
export function isHexadecimal(word: string): boolean {
  return word.length >= SHORTEST_BLOB && HEXADECIMAL.test(word);
}

const HEXADECIMAL = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]+$/i;

/**
 * True for a word of 16 characters or more that looks like a hash, key or base64. It is hexadecimal, or letters and
 * digits alternate four times, or case or kind changes at every third character.
 */
function isBlob(word: string): boolean {
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

/** Prefix of identifier terms. No word term starts with it, so both share one table of hashes. */
const SIGIL = '=';

/** The term under which an identifier is indexed. */
export const termOfIdentifier = (identifier: string) => SIGIL + identifier;

/** The identifiers of a run, in order: names in camelCase or snake_case, and names joined by `_`. */
export function identifiersOf(run: string): readonly string[] {
  if (!IDENTIFIER.test(run)) return NONE;
  const names = run.match(NAMES) ?? NONE;
  return names.filter((name) => IDENTIFIER.test(name) && name.length <= LONGEST_TERM && !isBlob(name));
}

const NONE: readonly string[] = [];
const NAMES = /[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*/g;
/** A camelCase hump, or words joined by `_`. */
const IDENTIFIER = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/;
