/** A query's words as terms of the index: what each is worth, and where each segment keeps it. */

import { eachRun, type Token, tokenOf } from '../analysis/analyzer.ts';
import { isGrammar } from '../analysis/grammar.ts';
import { termOfIdentifier } from '../analysis/identifier.ts';
import { idf } from '../postings/bm25f.ts';
import type { LexicalColumns } from '../postings/columns.ts';
import { findHash, hashTerm } from '../postings/hash.ts';
import { wordWeight } from './word-weights.ts';

/** A distinct term of a query. Terms that the index does not know stay: they lower every coverage alike. */
export interface QueryTerm {
  readonly term: string;
  /** The words that gave the term, as they stand in the query, in order of first occurrence; at least one. */
  readonly words: readonly string[];
  /** Where the first of them stands in the query, UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /**
   * Documents that hold the term, dead ones included (they leave with the next compaction); of a restricted search
   * only those that it has.
   */
  readonly frequency: number;
  /**
   * What the term weighs, > 0: its idf, times what such a word is worth in a request (`word-weights.ts`), times
   * `SHARED` where it is a name or a part of one. Repeating it in the query adds nothing (k3 = 0; k3 up to 8 measured
   * no better).
   */
  readonly weight: number;
}

/** A query made ready for one `LexicalSearch`. */
export interface LexicalQuery {
  readonly text: string;
  /** In order of first occurrence; a name stands before its words. */
  readonly terms: readonly QueryTerm[];
  /** Sum of the terms' weights. */
  readonly mass: number;
  /** For each segment the terms that it knows: their numbers there, ascending, and their places in `terms`. */
  readonly segments: readonly { readonly numbers: Uint32Array; readonly terms: Uint32Array }[];
  /** Names of code in the query that the index knows in just that writing, in order of first occurrence. */
  readonly identifiers: readonly QueryIdentifier[];
}

export interface QueryIdentifier {
  readonly name: string;
  /** Its idf, > 0. */
  readonly weight: number;
  /** Its number in each segment, −1 where none. */
  readonly numbers: Int32Array;
}

/**
 * A name and its words (docker-compose, docker, compose) are one clue that is told several times: each counts for this
 * much. Hit@1 / nDCG@10 of the whole product on dev and skill-evals (not naming): 55.0 / 70.8 and 65.3 / 74.4 so, 55.0 /
 * 70.9 and 64.4 / 74.1 where each counts in full.
 */
const SHARED = 0.6;

/** How many documents of a segment (its place in the search) hold its term `number`. */
export type FrequencyOf = (segment: number, number: number) => number;

/**
 * Makes a query ready. `documents` is the number of living ones. `frequencyOf` is given where not every document
 * counts.
 */
export function prepareQuery(
  text: string,
  segments: readonly LexicalColumns[],
  documents: number,
  frequencyOf: FrequencyOf = (segment, number) =>
    segments[segment]!.offsets[number + 1]! - segments[segment]!.offsets[number]!,
): LexicalQuery {
  const { tokens, names } = read(text);
  const occurrences = new Map<string, Occurrence>();
  for (const { term, from, to } of telling(tokens)) {
    const word = text.slice(from, to);
    const known = occurrences.get(term);
    if (known === undefined) occurrences.set(term, { from, to, words: [word] });
    else if (!known.words.includes(word)) known.words.push(word);
  }
  /** Writes the term's number in each segment, −1 where it has none; returns how many documents hold it. */
  const lookUp = (term: string, numbers: Int32Array) => {
    const [high, low] = hashTerm(term);
    let frequency = 0;
    for (let segment = 0; segment < segments.length; segment += 1) {
      const { hashes, touch } = segments[segment]!;
      const number = findHash(hashes, high, low);
      numbers[segment] = number;
      if (number < 0) continue;
      touch?.(number);
      frequency += frequencyOf(segment, number);
    }
    return frequency;
  };
  const found = segments.map((): TermNumber[] => []);
  const shared = partsOfNames([...occurrences.values()]);
  const numbers = new Int32Array(segments.length);
  const terms: QueryTerm[] = [];
  let mass = 0;
  for (const [term, { from, to, words }] of occurrences) {
    const place = terms.length;
    const frequency = lookUp(term, numbers);
    for (let segment = 0; segment < segments.length; segment += 1)
      if (numbers[segment]! >= 0) found[segment]!.push({ number: numbers[segment]!, term: place });
    const weight = idf(documents, frequency) * wordWeight(term) * (shared.has(place) ? SHARED : 1);
    terms.push({ term, words, from, to, frequency, weight });
    mass += weight;
  }
  const identifiers: QueryIdentifier[] = [];
  for (const name of names) {
    const own = new Int32Array(segments.length);
    const frequency = lookUp(termOfIdentifier(name), own);
    if (frequency > 0) identifiers.push({ name, weight: idf(documents, frequency), numbers: own });
  }
  return { text, terms, mass, segments: found.map(inOrder), identifiers };
}

/** A term of a query by its number in a segment. */
interface TermNumber {
  readonly number: number;
  /** Its place in the query. */
  readonly term: number;
}

function inOrder(known: TermNumber[]): LexicalQuery['segments'][number] {
  known.sort((a, b) => a.number - b.number);
  const numbers = new Uint32Array(known.length);
  const terms = new Uint32Array(known.length);
  known.forEach(({ number, term }, at) => {
    numbers[at] = number;
    terms[at] = term;
  });
  return { numbers, terms };
}

/** The query's tokens, and its distinct names of code in order of first occurrence. */
function read(text: string): { readonly tokens: readonly Token[]; readonly names: ReadonlySet<string> } {
  const tokens: Token[] = [];
  const names = new Set<string>();
  eachRun(text, (run, from) => {
    for (let at = 0; at < run.terms.length; at += 1) tokens.push(tokenOf(run, at, from));
    for (const identifier of run.identifiers) names.add(identifier);
  });
  return { tokens, names };
}

/** Tokens that say what is asked for; all of them where none does. */
function telling(tokens: readonly Token[]): readonly Token[] {
  const found = tokens.filter(({ term }) => !isGrammar(term));
  return found.length > 0 ? found : tokens;
}

/** Where a term first stands in the query, and the words that gave it anywhere. */
interface Occurrence {
  readonly from: number;
  readonly to: number;
  /** Distinct. */
  readonly words: string[];
}

/** Places of the terms that stand within another, and of those that others stand within. In order of beginning. */
function partsOfNames(terms: readonly Occurrence[]): Set<number> {
  const places = new Set<number>();
  let name = 0;
  terms.forEach(({ from, to }, place) => {
    if (place > 0 && from >= terms[name]!.from && to <= terms[name]!.to) places.add(name).add(place);
    else name = place;
  });
  return places;
}

/**
 * The words of these terms (places in `query.terms`, ascending) as the asker wrote them, in the query's order.
 * Of a name found as a whole its parts are left out.
 */
export function wordsOf(query: LexicalQuery, places: readonly number[]): string[] {
  const words: string[] = [];
  let end = 0;
  for (const place of places) {
    const { from, to } = query.terms[place]!;
    if (to <= end) continue;
    words.push(query.text.slice(from, to));
    end = to;
  }
  return words;
}
