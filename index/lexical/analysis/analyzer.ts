/**
 * Text → terms: finds words, names and unspaced scripts. `run.ts` decides how a name is indexed, `stem.ts` how a word
 * is reduced.
 */

import type { Stemmer } from '../language/stemmers.ts';
import { JOINER, kindAt, LETTER, OTHER, UNSPACED, widthAt } from './characters.ts';
import { LONGEST_RUN, type Run, runAt } from './run.ts';
import { eachUnspacedWord } from './unspaced.ts';

export { isGrammar } from './grammar.ts';
export { fold } from './stem.ts';

export interface Token {
  readonly term: string;
  /** UTF-16 offsets of the words that gave the term: `text.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
}

/** Receives one run with its terms (none for a stop word) and its offsets in the text. */
type RunVisitor = (run: Run, from: number, to: number) => void;

/** Terms of a text in order of their start; a name comes before its parts. */
export function analyze(text: string, stemmer: Stemmer | null = null): Token[] {
  const tokens: Token[] = [];
  eachRun(
    text,
    (run, from) => {
      for (let at = 0; at < run.terms.length; at += 1) tokens.push(tokenOf(run, at, from));
    },
    stemmer,
  );
  return tokens;
}

/** Term number `at` of a run that starts at `from`. */
export const tokenOf = (run: Run, at: number, from: number): Token => ({
  term: run.terms[at]!,
  from: from + run.from[at]!,
  to: from + run.to[at]!,
});

export function termsOf(text: string): string[] {
  const terms: string[] = [];
  eachRun(text, (run) => {
    terms.push(...run.terms);
  });
  return terms;
}

/** Returns the first position at or after `from` to look at: the start of a run, or a position outside any run. */
type PassOver = (text: string, from: number) => number;

/**
 * Calls `visit` for each run of a text, in order. Linear in the length of any text. With a stemmer, words also have the
 * stems of its language. Skips the runs that `passOver` skips.
 */
export function eachRun(
  text: string,
  visit: RunVisitor,
  stemmer: Stemmer | null = null,
  passOver?: PassOver,
): void {
  const end = text.length;
  let at = 0;
  for (;;) {
    if (passOver !== undefined) at = passOver(text, at);
    if (at >= end) return;
    const kind = kindAt(text, at);
    if (kind >= LETTER) {
      const to = endOfRun(text, at);
      if (isScheme(text, to)) {
        at = to + 3;
        continue;
      }
      if (to - at <= LONGEST_RUN) visit(runAt(text, at, to, stemmer), at, to);
      at = to;
    } else if (kind === OTHER) at += 1;
    else if (kind === UNSPACED) {
      const to = endOfUnspaced(text, at);
      eachUnspacedWord(text, at, to, visit);
      at = to;
    } else if (isDotNet(text, at)) {
      visit(DOTNET, at, at + 4);
      at += 4;
    } else at += 1;
  }
}

/**
 * End of the run that starts at `from`: after its last word that ends within `LONGEST_RUN`, or after the first word if
 * that is longer.
 */
function endOfRun(text: string, from: number): number {
  let at = from;
  let last = from;
  for (;;) {
    let kind = kindAt(text, at);
    while (kind >= LETTER) {
      at += kind === LETTER ? widthAt(text, at) : 1;
      kind = kindAt(text, at);
    }
    if (at - from > LONGEST_RUN && last > from) return last;
    if (kind === OTHER) return isSymbolic(text, from, at) ? at + (text.charCodeAt(at) === HASH ? 1 : 2) : at;
    if (kind === UNSPACED || at - from > LONGEST_RUN || kindAt(text, at + 1) < LETTER) return at;
    last = at;
    at += 1;
  }
}

function endOfUnspaced(text: string, from: number): number {
  let at = from;
  while (kindAt(text, at) === UNSPACED) at += widthAt(text, at);
  return at;
}

/** True at the end of the letter in C++, C# or F#, if the symbols follow. */
function isSymbolic(text: string, from: number, at: number): boolean {
  const symbol = text.charCodeAt(at);
  if (symbol !== PLUS && symbol !== HASH) return false;
  if (at - 1 > from && kindAt(text, at - 2) !== JOINER) return false;
  const letter = text[at - 1]!.toLowerCase();
  return symbol === HASH ? letter === 'c' || letter === 'f' : letter === 'c' && text[at + 1] === '+';
}

/** True if the word that ends at `at` is the scheme of a URL: it says nothing about the link. */
const isScheme = (text: string, at: number) => text.charCodeAt(at) === COLON && text.startsWith('://', at);

const COLON = 0x3a;
const PLUS = 0x2b;
const HASH = 0x23;
const DOT = 0x2e;

const DOTNET: Run = { terms: ['dotnet'], from: [0], to: [4], words: 1, identifiers: [] };

const isDotNet = (text: string, at: number) =>
  text.charCodeAt(at) === DOT &&
  text.slice(at, at + 4).toLowerCase() === '.net' &&
  kindAt(text, at + 4) < UNSPACED;
