/** A query's words as terms of the index: their weights, and their numbers in each segment. */

import { eachRun, type Token, tokenOf } from '../analysis/analyzer.ts';
import { OWN_KIND, ownKindIn } from '../analysis/own-kind.ts';
import { signedNumbers } from '../analysis/signed-numbers.ts';
import { isUnspaced } from '../analysis/unspaced.ts';
import { termOfIdentifier } from '../analysis/word.ts';
import { type Stemmer, stemmerOf } from '../language/stemmers.ts';
import { idf } from '../postings/bm25f.ts';
import type { LexicalColumns } from '../postings/columns.ts';
import { contentTokens, knownForms } from './forms.ts';
import type { TermStatistics } from './statistics.ts';
import { wordWeight } from './word-weights.ts';

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
  /** ISO 639-1 code of the language whose stems it has in addition to the English terms; null for English alone. */
  readonly language: string | null;
  /** In order of first occurrence; a name comes before its words. */
  readonly terms: readonly QueryTerm[];
  /** Whether what all documents are is a subject of the query (`own-kind.ts`): it is then the last term. */
  readonly isOfOwnKind: boolean;
  /** Sum of the terms' weights. */
  readonly mass: number;
  /** The idf of a term that one document has: no usual word weighs more. */
  readonly rarest: number;
  /** Exponent of the learned weights in this catalog, 0–1. */
  readonly trust: number;
  /** By segment: the terms that it contains, as its term numbers, ascending, and as indexes into `terms`. */
  readonly segments: readonly { readonly numbers: Uint32Array; readonly terms: Uint32Array }[];
  /** Identifiers in the query that the index contains verbatim, in order of first occurrence. */
  readonly identifiers: readonly QueryIdentifier[];
}

interface QueryIdentifier {
  readonly name: string;
  /** Position of the number where it is one with its sign (`signed-numbers.ts`), UTF-16 units; absent for others. */
  readonly number?: { readonly from: number; readonly to: number };
  /** Number of documents with it. */
  readonly frequency: number;
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

/** Factor for a number that documents have with the query's sign: without it, it is about something else. */
const NUMBER_FACTOR = 0.4;

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

interface QueryOptions {
  /** Exponent of the learned weights. Default 1. */
  readonly trust?: number;
  /** ISO 639-1 code; its stemmer must be loaded. */
  readonly language?: string | null;
  /** Words weigh by their rarity in these documents. */
  readonly speakers?: Speakers | null;
}

/** Prepares a query over the documents that the statistics count. */
export function prepareQuery(
  text: string,
  statistics: TermStatistics,
  { trust = 1, language = null, speakers = null }: QueryOptions = {},
): LexicalQuery {
  const { segments, documents } = statistics;
  const { tokens, names } = read(text, stemmerOf(language));
  const numbers = new Int32Array(segments.length);
  const isKnown = (term: string) => statistics.lookUp(term, numbers) > 0;
  const occurrences = new Map<string, Occurrence>();
  for (const { term, from, to } of knownForms(text, contentTokens(tokens, language), language, isKnown)) {
    const word = text.slice(from, to);
    const known = occurrences.get(term);
    if (known === undefined) occurrences.set(term, { from, to, words: [word] });
    else if (!known.words.includes(word)) known.words.push(word);
  }
  const found = segments.map((): TermNumber[] => []);
  const shared = compoundTerms([...occurrences.values()]);
  const signed = [...names].flatMap(([name, { number }]) =>
    number !== undefined && isKnown(termOfIdentifier(name)) ? number : [],
  );
  const isOfSigned = ({ from, to }: Occurrence) =>
    signed.some((number) => from >= number.from && to <= number.to);
  const terms: QueryTerm[] = [];
  let mass = 0;
  const add = (term: string, occurrence: Occurrence, factor: number) => {
    const { from, to, words } = occurrence;
    const place = terms.length;
    const frequency = statistics.lookUp(term, numbers);
    for (let segment = 0; segment < segments.length; segment += 1)
      if (numbers[segment]! >= 0) found[segment]!.push({ number: numbers[segment]!, term: place });
    const learned = wordWeight(term) ** trust;
    const rarity =
      speakers === null
        ? idf(documents, frequency)
        : rarityAmong(speakers, segments, numbers, frequency / documents);
    const weight = rarity * learned * factor * (isOfSigned(occurrence) ? NUMBER_FACTOR : 1);
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
  for (const [name, place] of names) {
    const own = new Int32Array(segments.length);
    const frequency = statistics.lookUp(termOfIdentifier(name), own);
    if (frequency > 0)
      identifiers.push({ name, frequency, weight: idf(documents, frequency), numbers: own, ...place });
  }
  const isOfOwnKind = terms.at(-1)?.term === OWN_KIND;
  const rarest = idf(documents, 1);
  return {
    text,
    language,
    terms,
    isOfOwnKind,
    mass,
    rarest,
    trust,
    segments: found.map(inOrder),
    identifiers,
  };
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
): {
  readonly tokens: readonly Token[];
  readonly names: ReadonlyMap<string, Pick<QueryIdentifier, 'number'>>;
} {
  const tokens: Token[] = [];
  const names = new Map<string, Pick<QueryIdentifier, 'number'>>();
  eachRun(
    text,
    (run, from) => {
      for (let at = 0; at < run.terms.length; at += 1) tokens.push(tokenOf(run, at, from));
      for (const identifier of run.identifiers) names.set(identifier, {});
    },
    stemmer,
  );
  for (const { name, from, to } of signedNumbers(text, { anyCase: true }))
    names.set(name, { number: { from, to } });
  return { tokens, names };
}

/** Whether the words of a query are mostly Chinese, Japanese or Korean ones. */
export const isMostlyUnspaced = ({ terms, mass }: LexicalQuery) =>
  terms.reduce((sum, { term, weight }) => (isUnspaced(term) ? sum + weight : sum), 0) > mass / 2;

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
