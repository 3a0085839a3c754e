/** Lexical ranking signals of candidates, several from one lookup. */

import { WIDTH } from '../postings/bm25f.ts';
import type { LexicalColumns } from '../postings/columns.ts';
import type { LexicalQuery } from './query.ts';

/** One number per candidate, in the given order. Shares are of the query's `mass`, 0–1. */
export interface LexicalSignals {
  /** BM25F over all fields, ≥ 0: equals the score of `match` up to rounding. */
  readonly bm25f: Float32Array;
  /** BM25 over name and description as one text, ≥ 0. */
  readonly card: Float32Array;
  /** Share of terms found in name, description or body. */
  readonly bodyCoverage: Float32Array;
  /** Share of the name's words that the query contains, 0–1. 1 if it contains the whole name in any order. */
  readonly nameInQuery: Float32Array;
  /** `Float32Array[documents × terms]`, row-major: what each term of the query adds to `bm25f`. */
  readonly byTerm: Float32Array;
}

const NAME = 0b0001;
const CARD = 0b0011;
const BODY = 0b0111;

/** By document: 1 + its candidate index, or 0 for others. All zeros between calls. */
let places = new Uint32Array(0);

/** Reading this many postings costs as much as one lookup of a document among them. */
const POSTINGS_A_SEEK = 8;

/**
 * Signals of documents by ordinal; each once, in any order. Reads all postings of a rare term. Looks up each document
 * among the postings of a frequent one, continuing from the previous. `step` is the value of one impact step.
 */
export function lexicalSignals(
  segments: readonly LexicalColumns[],
  query: LexicalQuery,
  ordinals: Uint32Array,
  step: number,
): LexicalSignals {
  const column = () => new Float32Array(ordinals.length);
  const signals = {
    bm25f: column(),
    card: column(),
    bodyCoverage: column(),
    nameInQuery: column(),
    byTerm: new Float32Array(ordinals.length * query.terms.length),
  };
  const order = ascending(ordinals);
  let first = 0;
  let base = 0;
  segments.forEach((columns, segment) => {
    const next = base + columns.documents;
    let end = first;
    while (end < order.length && ordinals[order[end]!]! < next) end += 1;
    if (end > first) {
      const own = order.subarray(first, end);
      const documents = own.map((place) => ordinals[place]! - base);
      addSegment(signals, own, documents, columns, query, segment, step);
    }
    first = end;
    base = next;
  });
  if (query.mass === 0) return signals;
  const whole = query.mass * step;
  const { bodyCoverage } = signals;
  for (let at = 0; at < bodyCoverage.length; at += 1)
    bodyCoverage[at] = Math.min(1, bodyCoverage[at]! / whole);
  return signals;
}

/** Adds the signals of one segment's documents: local numbers, ascending. `own` has their candidate indexes. */
function addSegment(
  signals: LexicalSignals,
  own: Uint32Array,
  documents: Uint32Array,
  columns: LexicalColumns,
  query: LexicalQuery,
  segment: number,
  step: number,
): void {
  if (places.length < columns.documents) places = new Uint32Array(columns.documents);
  for (let at = 0; at < own.length; at += 1) places[documents[at]!] = own[at]! + 1;
  const { numbers, terms } = query.segments[segment]!;
  const { offsets, postings } = columns;
  const width = query.terms.length;
  for (let at = 0; at < numbers.length; at += 1) {
    const term = terms[at]!;
    const weight = query.terms[term]!.weight * step;
    const from = offsets[numbers[at]!]!;
    const end = offsets[numbers[at]! + 1]!;
    if (end - from <= POSTINGS_A_SEEK * documents.length)
      for (let posting = from; posting < end; posting += 1) {
        const place = places[postings[posting]!]!;
        if (place > 0) addPosting(signals, place - 1, columns, posting, weight, place * width - width + term);
      }
    else {
      let posting = from;
      for (let candidate = 0; candidate < documents.length; candidate += 1) {
        const document = documents[candidate]!;
        posting = seek(postings, document, posting, end);
        if (posting === end) break;
        if (postings[posting] === document)
          addPosting(signals, own[candidate]!, columns, posting, weight, own[candidate]! * width + term);
      }
    }
  }
  for (let at = 0; at < own.length; at += 1) {
    places[documents[at]!] = 0;
    const words = columns.lengths[WIDTH * documents[at]!]!;
    const held = signals.nameInQuery[own[at]!]!;
    signals.nameInQuery[own[at]!] = words > 0 ? Math.min(1, held / words) : 0;
  }
}

/**
 * Adds one term's signals for a document; `cell` is its place in `byTerm`. `bodyCoverage` is a sum of weights until the end, and `nameInQuery` a count.
 */
function addPosting(
  signals: LexicalSignals,
  place: number,
  { impacts, cardImpacts, fields }: LexicalColumns,
  posting: number,
  weight: number,
  cell: number,
): void {
  const added = weight * impacts[posting]!;
  signals.bm25f[place]! += added;
  signals.byTerm[cell] = added;
  const held = fields[posting]!;
  if ((held & BODY) === 0) return;
  signals.bodyCoverage[place]! += weight;
  if ((held & CARD) === 0) return;
  signals.card[place]! += weight * cardImpacts[posting]!;
  if ((held & NAME) !== 0) signals.nameInQuery[place]! += 1;
}

/** A number with its sign is in a text for many reasons; in a name or description it is the subject. */
const ASIDE = 0.5;

/**
 * Share of the weight of the query's identifiers that each document contains verbatim, 0–1. 0 if the index knows none
 * of them. In the order of the ordinals.
 */
export function identifierShares(
  segments: readonly LexicalColumns[],
  { identifiers }: LexicalQuery,
  ordinals: Uint32Array,
): Float32Array {
  const shares = new Float32Array(ordinals.length);
  const whole = identifiers.reduce((sum, { weight }) => sum + weight, 0);
  const order = identifiers.length === 0 ? ordinals : ascending(ordinals);
  for (const { weight, numbers, number: signed } of identifiers) {
    let base = 0;
    let place = 0;
    segments.forEach(({ documents, offsets, postings, fields }, segment) => {
      const number = numbers[segment]!;
      let at = number < 0 ? 0 : offsets[number]!;
      const end = number < 0 ? 0 : offsets[number + 1]!;
      for (; place < order.length && ordinals[order[place]!]! < base + documents; place += 1) {
        const document = ordinals[order[place]!]! - base;
        at = seek(postings, document, at, end);
        if (at >= end || postings[at] !== document) continue;
        const isAside = signed !== undefined && (fields[at]! & CARD) === 0;
        shares[order[place]!]! += ((isAside ? ASIDE : 1) * weight) / whole;
      }
      base += documents;
    });
  }
  return shares;
}

/** For each query term in order: the fields of the document that contain it, as bits of `columns.fields`. */
export function termFields(
  segments: readonly LexicalColumns[],
  query: LexicalQuery,
  ordinal: number,
): Uint8Array {
  const held = new Uint8Array(query.terms.length);
  let base = 0;
  segments.forEach(({ documents, offsets, postings, fields }, segment) => {
    const document = ordinal - base;
    base += documents;
    if (document < 0 || document >= documents) return;
    const { numbers, terms } = query.segments[segment]!;
    numbers.forEach((number, at) => {
      const end = offsets[number + 1]!;
      const found = seek(postings, document, offsets[number]!, end);
      if (found < end && postings[found] === document) held[terms[at]!] = fields[found]!;
    });
  });
  return held;
}

/** First posting in [from, end) at or above `document`, by galloping search. */
function seek(postings: Uint32Array, document: number, from: number, end: number): number {
  let low = from;
  let stride = 1;
  while (low + stride < end && postings[low + stride]! < document) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(end, low + stride);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (postings[middle]! < document) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Indexes of the ordinals, sorted by ordinal. */
function ascending(ordinals: Uint32Array): Uint32Array {
  const order = new Uint32Array(ordinals.length);
  let isSorted = true;
  for (let at = 0; at < order.length; at += 1) {
    order[at] = at;
    if (at > 0 && ordinals[at - 1]! > ordinals[at]!) isSorted = false;
  }
  return isSorted ? order : order.sort((a, b) => ordinals[a]! - ordinals[b]!);
}
