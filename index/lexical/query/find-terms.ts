/** Where a text holds some terms, without analysing all of it: excerpts are cut from six passages for each search. */

import { eachRun, type Token, tokenOf } from '../analysis/analyzer.ts';
import { JOINER, kindAt, LETTER, LOWER, OTHER } from '../analysis/characters.ts';
import { rootOf } from '../analysis/stem.ts';

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

/** By the code of a letter, small or not, or digit: what terms that begin with it, and what they are stems of, begin with. */
type Roots = readonly (readonly string[] | undefined)[];

function rootsByLetter(wanted: ReadonlySet<string>): Roots {
  const roots = new Array<string[] | undefined>(ASCII).fill(undefined);
  const add = (root: string) => {
    const letter = root.charCodeAt(0);
    if (!(letter < ASCII)) return;
    const known = roots[letter];
    if (known !== undefined) known.push(root);
    else {
      roots[letter] = [root];
      if (KINDS[letter] === LOWER) roots[letter - LOWER_CASE] = roots[letter];
    }
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
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const known = unit < ASCII ? roots[unit] : ANY;
    if (known === undefined) continue;
    const kind = kindAt(text, at);
    // In the midst of a word others begin with capitals and digits alone.
    if (kind <= JOINER || (kind === LOWER && at > from && kindAt(text, at - 1) >= LETTER)) continue;
    if (beginsWithOneOf(text, at, known)) return beginningOfRun(text, at, from);
  }
  return text.length;
}

/** Every text goes on with it: beyond ASCII nothing is passed over. */
const ANY = [''];

/** Where the run began that holds `at`, or the dot before it: of .NET it is a part. Not before `from`. */
function beginningOfRun(text: string, at: number, from: number): number {
  let start = at;
  while (
    start > from &&
    (isLetter(text, start - 1) ||
      (start - 1 > from && isJoiner(text, start - 1) && isLetter(text, start - 2)))
  )
    start -= 1;
  return start > from && text.charCodeAt(start - 1) === DOT ? start - 1 : start;
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
const isLetter = (text: string, at: number) =>
  !(text.charCodeAt(at) < ASCII) || KINDS[text.charCodeAt(at)]! >= LETTER;
const isJoiner = (text: string, at: number) => KINDS[text.charCodeAt(at)] === JOINER;

const ASCII = 0x80;
const DOT = 0x2e;
/** Bit that makes an ASCII letter lower case, and leaves a digit. */
const LOWER_CASE = 0x20;
/** Kinds of the ASCII characters. */
const KINDS = Uint8Array.from({ length: ASCII }, (_, unit) => kindAt(String.fromCharCode(unit), 0));
