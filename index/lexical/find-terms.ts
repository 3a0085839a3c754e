/** Where a text holds some terms, without analysing all of it: excerpts are cut from six passages for each search. */

import { eachRun, type Token, tokenOf } from './analyzer.ts';
import { JOINER, kindAt, LETTER, LOWER, OTHER, UPPER } from './characters.ts';
import { rootOf } from './stem.ts';

/**
 * Those of the text's terms that are wanted, in the order in which they begin; a name stands before its parts. Most
 * words of a text are English and begin like none of the wanted ones: they are passed over.
 */
export function findTerms(text: string, wanted: ReadonlySet<string>): Token[] {
  const tokens: Token[] = [];
  const roots = rootsByLetter(wanted);
  eachRun(
    text,
    (run, from) => {
      for (let at = 0; at < run.terms.length; at += 1)
        if (wanted.has(run.terms[at]!)) tokens.push(tokenOf(run, at, from));
    },
    (_, from) => passOver(text, from, roots),
  );
  return tokens;
}

/** By a small letter's code: what the wanted terms that begin with it, and the words that they are stems of, begin with. */
type Roots = readonly (readonly string[] | undefined)[];

function rootsByLetter(wanted: ReadonlySet<string>): Roots {
  const roots: string[][] = new Array(ASCII);
  for (const term of wanted) {
    const root = rootOf(term);
    const letter = root.charCodeAt(0);
    if (letter < ASCII) roots[letter] = [...(roots[letter] ?? []), root];
  }
  return roots;
}

/**
 * The first position from `from` on, where no run has begun yet, that is neither between words nor of a word of small
 * ASCII letters (but perhaps for the first) that stands alone and begins with no root: its one term is its stem.
 */
function passOver(text: string, from: number, roots: Roots): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit >= ASCII) return at;
    const kind = KINDS[unit]!;
    if (kind === OTHER || (kind === JOINER && unit !== DOT)) {
      at += 1;
      continue;
    }
    if (kind !== LOWER && kind !== UPPER) return at;
    const known = roots[unit | LOWER_CASE];
    if (known !== undefined && beginsWithOneOf(text, at, known)) return at;
    const to = endOfLetters(text, at + 1);
    if (!standsAlone(text, to)) return at;
    at = to;
  }
  return at;
}

function endOfLetters(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < SMALL_A || unit > SMALL_Z) break;
  }
  return at;
}

/** Whether nothing that stands at `to` belongs to the word that ends there, or says that it is none. */
function standsAlone(text: string, to: number): boolean {
  if (to >= text.length) return true;
  const unit = text.charCodeAt(to);
  if (unit >= ASCII || ENDINGS.has(unit)) return false;
  const kind = KINDS[unit]!;
  if (kind === OTHER) return true;
  if (kind !== JOINER || to + 1 >= text.length) return kind === JOINER;
  const next = text.charCodeAt(to + 1);
  return next < ASCII && KINDS[next]! < LETTER;
}

/** Whether the text goes on with one of these, which begin with the letter that stands at `from`. */
function beginsWithOneOf(text: string, from: number, roots: readonly string[]): boolean {
  for (const root of roots) {
    let at = 1;
    while (at < root.length && text.charCodeAt(from + at) === root.charCodeAt(at)) at += 1;
    if (at === root.length) return true;
  }
  return false;
}

const ASCII = 0x80;
const DOT = 0x2e;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
/** Bit that makes an ASCII letter lower case. */
const LOWER_CASE = 0x20;
/** Of C++, C# and https://. */
const ENDINGS: ReadonlySet<number> = new Set([0x2b, 0x23, 0x3a]);
/** Kinds of the ASCII characters. */
const KINDS = Uint8Array.from({ length: ASCII }, (_, unit) => kindAt(String.fromCharCode(unit), 0));
