/** Where a text holds some terms, without analysing all of it: excerpts are cut from six passages for each search. */

import { eachRun, type Token, tokenOf } from './analyzer.ts';
import { JOINER, kindAt, LETTER, LOWER, OTHER } from './characters.ts';
import { rootOf } from './stem.ts';

/**
 * Those of the text's terms that are wanted, in the order in which they begin; a name stands before its parts. Runs in
 * which nothing begins like a wanted term are passed over.
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

/** By the code of a small letter or digit: what terms that begin with it, and what they are stems of, begin with. */
type Roots = readonly (readonly string[] | undefined)[];

function rootsByLetter(wanted: ReadonlySet<string>): Roots {
  const roots: string[][] = new Array(ASCII);
  const add = (root: string) => {
    const letter = root.charCodeAt(0);
    if (!(letter < ASCII)) return;
    const known = roots[letter];
    if (known === undefined) roots[letter] = [root];
    else known.push(root);
  };
  for (const term of wanted) {
    // Between digits any joiner is a dot.
    add(rootOf(term).replaceAll('.', ''));
    WRITTEN.get(term)?.forEach(add);
  }
  return roots;
}

/** What terms are written like that stand for names with symbols: C++, C#, F#, ASP.NET. */
const WRITTEN: ReadonlyMap<string, readonly string[]> = new Map([
  ['cpp', ['c']],
  ['csharp', ['c']],
  ['fsharp', ['f']],
  ['dotnet', ['net']],
]);

/** The first position from `from` on, where a run may begin, at which one begins that may hold a wanted term. */
function passOver(text: string, from: number, roots: Roots): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit >= ASCII) return at;
    if (KINDS[unit]! >= LETTER) {
      const to = endOfOther(text, at, roots);
      if (to < 0) return at;
      at = to;
    } else if (unit === DOT && isLetter(text, at + 1)) return at;
    else at += 1;
  }
  return at;
}

/** Where the run that begins at `from` ends; −1 where it is not of ASCII alone, or something in it begins like a root. */
function endOfOther(text: string, from: number, roots: Roots): number {
  let begins = true;
  let at = from;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= ASCII) return -1;
    const kind = KINDS[unit]!;
    // In the midst of a word: parts of words begin with capitals or digits.
    if (kind === LOWER && !begins) continue;
    if (kind === OTHER) return at;
    begins = kind === JOINER;
    if (begins) {
      if (!isLetter(text, at + 1)) return at;
    } else {
      const known = roots[unit | LOWER_CASE];
      if (known !== undefined && beginsWithOneOf(text, at, known)) return -1;
    }
  }
  return at;
}

/** Whether the text goes on with one of these, whatever its case and what joins its words. */
function beginsWithOneOf(text: string, from: number, roots: readonly string[]): boolean {
  for (const root of roots) {
    let held = 1;
    for (let at = from + 1; held < root.length && at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit >= ASCII || KINDS[unit] === OTHER) break;
      if (KINDS[unit] === JOINER) continue;
      if ((unit | LOWER_CASE) !== root.charCodeAt(held)) break;
      held += 1;
    }
    if (held >= root.length) return true;
  }
  return false;
}

/** Whether a letter or digit, or anything beyond ASCII, stands there. */
function isLetter(text: string, at: number): boolean {
  if (at >= text.length) return false;
  const unit = text.charCodeAt(at);
  return unit >= ASCII || KINDS[unit]! >= LETTER;
}

const ASCII = 0x80;
const DOT = 0x2e;
/** Bit that makes an ASCII letter lower case, and leaves a digit. */
const LOWER_CASE = 0x20;
/** Kinds of the ASCII characters. */
const KINDS = Uint8Array.from({ length: ASCII }, (_, unit) => kindAt(String.fromCharCode(unit), 0));
