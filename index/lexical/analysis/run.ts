/**
 * One run → its terms. A run is a sequence of words and single joiners without spaces: `docker-compose`,
 * `src/getUserById.ts`, `user's`, `v1.2.3`. `analyzer.ts` finds runs in a text; `word.ts` handles single words.
 *
 * A name is indexed as its words and as a compound. The compound has no joiners, so `docker-compose`, `docker_compose`,
 * `DockerCompose` and `dockercompose` are one term. A dot between digits stays, so 1.23 and 12.3 are two terms.
 */

import type { Stemmer } from '../language/stemmers.ts';
import { JOINER, kindAt } from './characters.ts';
import { isGrammar } from './grammar.ts';
import { fold } from './stem.ts';
import { eachTerm, identifiersOf, isHexadecimal, LONGEST_TERM, type Span, visitFolded } from './word.ts';

/** What a run is indexed as. Offsets are UTF-16 units from the start of the run; a compound comes before its words. */
export interface Run {
  readonly terms: readonly string[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Words that are not stop words: what the run adds to its field's length. Compounds do not count. */
  readonly words: number;
  /** Identifiers in the run, verbatim (`word.ts`). */
  readonly identifiers: readonly string[];
}

/** Longest run, UTF-16 units. */
export const LONGEST_RUN = 64;

/**
 * Slots of the cache of analysed runs, which saves splitting and stemming a word at each occurrence. The cache is
 * direct-mapped rather than an LRU: this is the hot loop of indexing, and one comparison is all it pays per lookup. It
 * takes about 25 MB when full; 2¹⁵ and 2¹⁷ slots were no faster.
 */
const CACHE_SLOTS = 1 << 16;
type Cache = ({ readonly text: string; readonly run: Run } | undefined)[];
const emptyCache = (): Cache => new Array(CACHE_SLOTS).fill(undefined);
const english = emptyCache();
const others = new Map<Stemmer, Cache>();

/**
 * Terms of the run `text.slice(from, to)`, which has at most `LONGEST_RUN` units. With a stemmer, each word that its
 * language stems differently is followed by that stem.
 */
export function runAt(text: string, from: number, to: number, stemmer: Stemmer | null = null): Run {
  const cache = stemmer === null ? english : cacheOf(stemmer);
  let hash = to - from;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
  const slot = (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1);
  const known = cache[slot];
  if (known !== undefined && known.text.length === to - from && text.startsWith(known.text, from))
    return known.run;
  const copy = copyOf(text, from, to);
  const run = stemmer === null ? analyzeRun(copy) : withStems(analyzeRun(copy), copy, stemmer);
  cache[slot] = { text: copy, run };
  return run;
}

function cacheOf(stemmer: Stemmer): Cache {
  const known = others.get(stemmer);
  if (known !== undefined) return known;
  const made = emptyCache();
  others.set(stemmer, made);
  return made;
}

/** The English terms stay: names and loan words are written in every language, and short queries do not show theirs. */
function withStems(run: Run, text: string, { stem }: Stemmer): Run {
  const out = new RunBuilder();
  run.terms.forEach((term, at) => {
    const [from, to] = [run.from[at]!, run.to[at]!];
    out.add(term, from, to, false);
    const word = text.slice(from, to);
    if (!LETTERS.test(word) || isGrammar(term)) return;
    const other = stem(word);
    if (other !== term && other !== '') out.add(other, from, to, false);
  });
  return { ...out.finish(run.identifiers), words: run.words };
}

const LETTERS = /^[\p{L}\p{M}]{3,}$/u;

/** A copy, because a slice would keep the whole text alive in V8. */
function copyOf(text: string, from: number, to: number): string {
  const units: number[] = [];
  for (let at = from; at < to; at += 1) units.push(text.charCodeAt(at));
  return String.fromCharCode(...units);
}

/** Collects the terms of a run. */
class RunBuilder {
  readonly terms: string[] = [];
  readonly from: number[] = [];
  readonly to: number[] = [];
  words = 0;

  readonly add = (term: string, from: number, to: number, counts: boolean): void => {
    this.terms.push(term);
    this.from.push(from);
    this.to.push(to);
    if (counts) this.words += 1;
  };

  /** Adds the terms of one word of the run. */
  addWord(run: string, from: number, to: number): void {
    const word = runAt(run, from, to);
    word.terms.forEach((term, at) => {
      this.add(term, from + word.from[at]!, from + word.to[at]!, false);
    });
    this.words += word.words;
  }

  /** Copies of exact size: grown arrays have room for 17 entries, which adds up in a full cache. */
  finish(identifiers: readonly string[]): Run {
    const { terms, from, to, words } = this;
    return { terms: terms.slice(), from: from.slice(), to: to.slice(), words, identifiers };
  }
}

function analyzeRun(run: string): Run {
  const out = new RunBuilder();
  const segments = segmentsOf(run);
  const [first, second] = segments;
  if (segments.length === 1 && first!.length === 1 && first![0]![1] === run.length) eachTerm(run, out.add);
  else {
    // Two words around a single slash are also a name: CI/CD, TCP/IP, read/write.
    if (segments.length === 2 && first!.length === 1 && second!.length === 1)
      addWhole(out, joined(run, [first![0]!, second![0]!]), first![0]![0], second![0]![1]);
    for (const words of segments) addSegment(out, run, words);
  }
  return out.finish(identifiersOf(run));
}

/** Groups of words between slashes. */
function segmentsOf(run: string): Span[][] {
  let words: Span[] = [];
  const segments = [words];
  let from = 0;
  for (let at = 0; at <= run.length; at += 1) {
    if (at < run.length && kindAt(run, at) !== JOINER) continue;
    if (!isClitic(run, from, at)) words.push([from, at]);
    if (run[at] === '/') {
      words = [];
      segments.push(words);
    }
    from = at + 1;
  }
  return segments;
}

/** True for what follows the apostrophe in user's, we're, don't. */
function isClitic(run: string, from: number, to: number): boolean {
  return to - from <= 2 && from > 0 && APOSTROPHES.has(run[from - 1]!);
}

const APOSTROPHES: ReadonlySet<string> = new Set("'’");

function addSegment(out: RunBuilder, run: string, words: readonly Span[]): void {
  const [first] = words;
  if (first === undefined) return;
  if (words.length > 1) {
    // The groups of a UUID are no words.
    if (isHexadecimal(words.map(([from, to]) => run.slice(from, to)).join(''))) return;
    const whole = joined(run, words);
    const version = VERSION.exec(whole)?.groups;
    addWhole(out, version?.numbers ?? whole, first[0], words.at(-1)![1]);
    if (version !== undefined) {
      // The first number of a version or date is a term of its own: 3 of 3.12, 2024 of 2024-01-15.
      out.add(version.first!, ...first, true);
      return;
    }
    if (words.every(([from, to]) => to - from === 1)) {
      // Single letters, as in e.g. or U.S., are no terms.
      out.words += 1;
      return;
    }
  }
  for (const [from, to] of words)
    if (run[from - 1] === '.' && run.slice(from, to) === 'NET') out.add('dotnet', from, to, true);
    else out.addWord(run, from, to);
}

function addWhole(out: RunBuilder, whole: string, from: number, to: number): void {
  if (whole.length <= LONGEST_TERM) visitFolded(fold(whole), from, to, false, out.add);
}

/** The words of a name without joiners, except a dot between digits. */
function joined(run: string, words: readonly Span[]): string {
  let whole = '';
  for (const [from, to] of words) {
    if (isDigit(whole, whole.length - 1) && isDigit(run, from)) whole += '.';
    whole += run.slice(from, to);
  }
  return whole;
}

const isDigit = (text: string, at: number) => text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39;

/** v1.2 and 1.2 are the same version. */
const VERSION = /^v?(?<numbers>(?<first>[0-9]+)(?:\.[0-9]+)+)$/i;
