/** A query's words as terms of the index: their weights, and their numbers in each segment. */

import { eachRun, type Token, tokenOf } from '../analysis/analyzer.ts';
import { isGrammar } from '../analysis/grammar.ts';
import { namesOwnKind, OWN_KIND, ownKindIn } from '../analysis/own-kind.ts';
import { isUnspaced } from '../analysis/unspaced.ts';
import { termOfIdentifier } from '../analysis/word.ts';
import { type Stemmer, stemmerOf } from '../language/stemmers.ts';
import { idf } from '../postings/bm25f.ts';
import type { LexicalColumns } from '../postings/columns.ts';
import { findHash, hashTerm } from '../postings/hash.ts';
import { trustIn, wordWeight } from './word-weights.ts';

/** A distinct term of a query. Terms that the index does not know are included: they lower every coverage. */
interface QueryTerm {
  readonly term: string;
  /** The words of the query that gave the term, in order of first occurrence; at least one. */
  readonly words: readonly string[];
  /** Position of the first of these words in the query, UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /**
   * Number of documents with the term. Includes dead ones until the next compaction. A restricted search counts only
   * its own documents.
   */
  readonly frequency: number;
  /**
   * Weight, > 0: the idf, times the word's learned weight as far as it holds here (`word-weights.ts`), times
   * `COMPOUND_FACTOR` for a name or a part of one. Repetition in the query adds nothing (k3 = 0; larger values measured no better).
   */
  readonly weight: number;
}

/** A prepared query for one `LexicalSearch`. */
export interface LexicalQuery {
  readonly text: string;
  /** ISO 639-1 code of the language whose stems it has besides the English terms; null for English alone. */
  readonly language: string | null;
  /** In order of first occurrence; a name comes before its words. */
  readonly terms: readonly QueryTerm[];
  /** Whether what all documents are is a subject of the query (`own-kind.ts`): it is then the last term. */
  readonly isOfOwnKind: boolean;
  /** Sum of the terms' weights. */
  readonly mass: number;
  /** Exponent of the learned weights in this catalog, 0–1. */
  readonly trust: number;
  /** By segment: the terms that it contains, as its term numbers, ascending, and as indexes into `terms`. */
  readonly segments: readonly { readonly numbers: Uint32Array; readonly terms: Uint32Array }[];
  /** Identifiers in the query that the index contains verbatim, in order of first occurrence. */
  readonly identifiers: readonly QueryIdentifier[];
}

interface QueryIdentifier {
  readonly name: string;
  /** Its idf, > 0. */
  readonly weight: number;
  /** Its term number in each segment, −1 if absent. */
  readonly numbers: Int32Array;
}

/**
 * Factor for the terms of a name and its words (docker-compose, docker, compose), which are one clue in several terms.
 * Without it, accuracy on skill-evals drops (`bench/TRIED.md`).
 */
const COMPOUND_FACTOR = 0.6;

/** Returns how many documents of segment number `segment` contain its term `number`. */
export type FrequencyOf = (segment: number, number: number) => number;

/** As `trustIn`, for the documents of these segments. */
export function trustOf(
  segments: readonly LexicalColumns[],
  documents: number,
  frequencyOf: FrequencyOf = storedFrequency(segments),
): number {
  return trustIn(documents, (term) => {
    const [high, low] = hashTerm(term);
    return segments.reduce((sum, { hashes }, segment) => {
      const number = findHash(hashes, high, low);
      return number < 0 ? sum : sum + frequencyOf(segment, number);
    }, 0);
  });
}

/** Documents in the query's language, where that is not the language of most. */
export interface Speakers {
  /** `Uint8Array[documents]` of 0 and 1, by ordinal: only living documents. */
  readonly marked: Uint8Array;
  readonly count: number;
}

/** The whole catalog counts as so many documents in the language, so that a few of them do not decide alone. */
const OTHERS = 10;

/**
 * The idf among the documents in the query's language. Among all, each of its words is rare, and the commonest weigh as much
 * as those that say what is wanted. `share`: of all documents, those with the term.
 */
function rarityAmong(
  { marked, count }: Speakers,
  segments: readonly LexicalColumns[],
  numbers: Int32Array,
  share: number,
): number {
  let frequency = OTHERS * share;
  let base = 0;
  segments.forEach(({ documents, offsets, postings }, segment) => {
    const number = numbers[segment]!;
    if (number >= 0)
      for (let at = offsets[number]!; at < offsets[number + 1]!; at += 1)
        frequency += marked[base + postings[at]!]!;
    base += documents;
  });
  return idf(count + OTHERS, frequency);
}

const storedFrequency =
  (segments: readonly LexicalColumns[]): FrequencyOf =>
  (segment, number) =>
    segments[segment]!.offsets[number + 1]! - segments[segment]!.offsets[number]!;

/**
 * Prepares a query. `trust` is that of the catalog (`trustOf`), `documents` is the number of living documents. Give `frequencyOf` if some documents do not count.
 * The stemmer of `language` must be loaded.
 */
export function prepareQuery(
  text: string,
  segments: readonly LexicalColumns[],
  documents: number,
  trust = 1,
  language: string | null = null,
  frequencyOf: FrequencyOf = storedFrequency(segments),
  speakers: Speakers | null = null,
): LexicalQuery {
  const { tokens, names } = read(text, stemmerOf(language));
  /**
   * Writes the term's number in each segment (−1 if absent) into `numbers`. Returns the number of documents with the
   * term.
   */
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
  const numbers = new Int32Array(segments.length);
  const isKnown = ({ term }: Token) => lookUp(term, numbers) > 0;
  const occurrences = new Map<string, Occurrence>();
  for (const { term, from, to } of withoutUnknownForms(contentTokens(tokens, language), language, isKnown)) {
    const word = text.slice(from, to);
    const known = occurrences.get(term);
    if (known === undefined) occurrences.set(term, { from, to, words: [word] });
    else if (!known.words.includes(word)) known.words.push(word);
  }
  const found = segments.map((): TermNumber[] => []);
  const shared = compoundTerms([...occurrences.values()]);
  const terms: QueryTerm[] = [];
  let mass = 0;
  const add = (term: string, { from, to, words }: Occurrence, factor: number) => {
    const place = terms.length;
    const frequency = lookUp(term, numbers);
    for (let segment = 0; segment < segments.length; segment += 1)
      if (numbers[segment]! >= 0) found[segment]!.push({ number: numbers[segment]!, term: place });
    const learned = wordWeight(term) ** trust;
    const rarity =
      speakers === null
        ? idf(documents, frequency)
        : rarityAmong(speakers, segments, numbers, frequency / documents);
    const weight = rarity * learned * factor;
    terms.push({ term, words, from, to, frequency, weight });
    mass += weight;
  };
  let place = 0;
  for (const [term, occurrence] of occurrences)
    add(term, occurrence, shared.has(place++) ? COMPOUND_FACTOR : 1);
  const own = ownKindIn(text, tokens);
  const share = own === null ? 0 : subjectShare(terms, documents);
  if (own !== null && share > 0)
    add(own.term, { from: own.from, to: own.to, words: [text.slice(own.from, own.to)] }, share);
  const identifiers: QueryIdentifier[] = [];
  for (const name of names) {
    const own = new Int32Array(segments.length);
    const frequency = lookUp(termOfIdentifier(name), own);
    if (frequency > 0) identifiers.push({ name, weight: idf(documents, frequency), numbers: own });
  }
  const isOfOwnKind = terms.at(-1)?.term === OWN_KIND;
  return { text, language, terms, isOfOwnKind, mass, trust, segments: found.map(inOrder), identifiers };
}

/**
 * A query whose other words all weigh less than this share of a rare word's idf says little of its subject (`bench/TRIED.md`).
 */
const SPECIFIC = 0.6;

/** How far what documents call themselves is the subject of a query with these other terms, 0 (one is specific) to 1. */
function subjectShare(terms: readonly QueryTerm[], documents: number): number {
  const strongest = terms.reduce((most, { weight }) => Math.max(most, weight), 0);
  return Math.max(0, 1 - strongest / (SPECIFIC * idf(documents, 1)));
}

/** Every term that `prepareQuery` may look up for this query, each once. */
export function termsAsked(text: string, language: string | null): string[] {
  const { tokens, names } = read(text, stemmerOf(language));
  return [
    ...new Set([
      ...contentTokens(tokens, language).map(({ term }) => term),
      ...Array.from(names, (name) => termOfIdentifier(name)),
      ...(namesOwnKind(text) ? [OWN_KIND] : []),
    ]),
  ];
}

/** A query term found in a segment. */
interface TermNumber {
  readonly number: number;
  /** Index of the term in the query. */
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

/** The query's tokens, and its distinct identifiers in order of first occurrence. */
function read(
  text: string,
  stemmer: Stemmer | null,
): { readonly tokens: readonly Token[]; readonly names: ReadonlySet<string> } {
  const tokens: Token[] = [];
  const names = new Set<string>();
  eachRun(
    text,
    (run, from) => {
      for (let at = 0; at < run.terms.length; at += 1) tokens.push(tokenOf(run, at, from));
      for (const identifier of run.identifiers) names.add(identifier);
    },
    stemmer,
  );
  return { tokens, names };
}

/** The tokens without function words, or all tokens if nothing else remains. */
function contentTokens(tokens: readonly Token[], language: string | null): readonly Token[] {
  const found = tokens.filter(({ term }) => !isGrammar(term, language));
  return found.length > 0 ? found : tokens;
}

/**
 * One word can give several forms of a term: the English stem and that of `language`, or an unspaced word and its pairs of
 * characters. Leaves those that the index knows, so that the others do not lower a coverage: the whole word rather than
 * its pairs. Of forms that are all unknown, the first stays.
 */
function withoutUnknownForms(
  tokens: readonly Token[],
  language: string | null,
  isKnown: (token: Token) => boolean,
): readonly Token[] {
  const areForms = (first: Token, other: Token) =>
    isUnspaced(first.term)
      ? other.to <= first.to
      : language !== null && other.from === first.from && other.to === first.to;
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at]!;
    let end = at + 1;
    while (end < tokens.length && areForms(first, tokens[end]!)) end += 1;
    const forms = tokens.slice(at, end);
    if (forms.length === 1 || (isUnspaced(first.term) && isKnown(first))) kept.push(first);
    else {
      const known = forms.filter(isKnown);
      kept.push(...(known.length > 0 ? known : [first]));
    }
    at = end;
  }
  return kept;
}

/** First position of a term in the query, and all words that gave it. */
interface Occurrence {
  readonly from: number;
  readonly to: number;
  /** Distinct. */
  readonly words: string[];
}

/**
 * Indexes of the terms that lie within another term, and of the terms that contain them. Expects terms in order of
 * their start.
 */
function compoundTerms(terms: readonly Occurrence[]): Set<number> {
  const places = new Set<number>();
  let name = 0;
  terms.forEach(({ from, to }, place) => {
    if (place > 0 && from >= terms[name]!.from && to <= terms[name]!.to) places.add(name).add(place);
    else name = place;
  });
  return places;
}

/**
 * The words of these terms (indexes into `query.terms`, ascending) as written in the query, in its order. Leaves out
 * the parts of a name that was found as a whole.
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
