/** Finds given terms in a text without analysing all of it: each search cuts excerpts from six passages. */

import { eachRun, type Token, tokenOf } from '../analysis/analyzer.ts';
import { JOINER, kindAt, LETTER, LOWER, OTHER } from '../analysis/characters.ts';
import { rootOf } from '../analysis/stem.ts';
import { stemmerOf } from '../language/stemmers.ts';

/**
 * The tokens of the text whose terms are in `wanted`, in order of their start; a name comes before its parts. Skips
 * runs that cannot contain a wanted term. `language` is that of the query that gave the terms.
 */
export function findTerms(
  text: string,
  wanted: ReadonlySet<string>,
  language: string | null = null,
): Token[] {
  const tokens: Token[] = [];
  const stemmer = stemmerOf(language);
  const roots = rootsByLetter(wanted, stemmer === null ? rootOf : beginningOf);
  eachRun(
    text,
    (run, from) => {
      for (let at = 0; at < run.terms.length; at += 1)
        if (wanted.has(run.terms[at]!)) tokens.push(tokenOf(run, at, from));
    },
    stemmer,
    (_, from) => passOver(text, from, roots),
  );
  return tokens;
}

/**
 * By ASCII code of a first letter (either case) or digit: prefixes of the wanted terms and of the words that stem to
 * them.
 */
type Roots = readonly (readonly string[] | undefined)[];

/** What a term has in common with the words of other languages that have this stem. */
const beginningOf = (term: string) => term.slice(0, 2);

function rootsByLetter(wanted: ReadonlySet<string>, rootOfTerm: (term: string) => string): Roots {
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
    // Compounds may have any joiner where the term has a dot.
    add(rootOfTerm(term).replaceAll('.', ''));
    SYMBOL_SPELLINGS.get(term)?.forEach(add);
  }
  return roots;
}

/** First letters of the names with symbols that some terms stand for: C++, C#, F#, ASP.NET. */
const SYMBOL_SPELLINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['cpp', ['c']],
  ['csharp', ['c']],
  ['fsharp', ['f']],
  ['dotnet', ['net']],
]);

/** The next start of a run, at or after `from`, that may contain a wanted term. `from` is a possible start. */
function passOver(text: string, from: number, roots: Roots): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const known = unit < ASCII ? roots[unit] : ANY;
    if (known === undefined) continue;
    const kind = kindAt(text, at);
    // Inside a word, a part starts only with a capital or a digit.
    if (kind <= JOINER || (kind === LOWER && at > from && kindAt(text, at - 1) >= LETTER)) continue;
    if (beginsWithOneOf(text, at, known)) return beginningOfRun(text, at, from);
  }
  return text.length;
}

/** A prefix of every text: nothing outside ASCII is skipped. */
const ANY = [''];

/** Start of the run that contains `at`, or the dot of .NET before it. Not before `from`. */
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

/** Whether the text at `from` continues with one of the prefixes, ignoring case and joiners. */
function beginsWithOneOf(text: string, from: number, roots: readonly string[]): boolean {
  for (const root of roots) {
    let held = 1;
    for (let at = from + 1; held < root.length && at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      // An accent: the letter below it may be the wanted one.
      if (unit >= ASCII) return true;
      if (KINDS[unit] === OTHER) break;
      if (KINDS[unit] === JOINER) continue;
      if ((unit | LOWER_CASE) !== root.charCodeAt(held)) break;
      held += 1;
    }
    if (held >= root.length) return true;
  }
  return false;
}

/** Whether the character is a letter, a digit or outside ASCII. */
const isLetter = (text: string, at: number) =>
  !(text.charCodeAt(at) < ASCII) || KINDS[text.charCodeAt(at)]! >= LETTER;
const isJoiner = (text: string, at: number) => KINDS[text.charCodeAt(at)] === JOINER;

const ASCII = 0x80;
const DOT = 0x2e;
/** The bit that turns an ASCII letter into lower case and does not change a digit. */
const LOWER_CASE = 0x20;
/** Kinds of the ASCII characters. */
const KINDS = Uint8Array.from({ length: ASCII }, (_, unit) => kindAt(String.fromCharCode(unit), 0));
