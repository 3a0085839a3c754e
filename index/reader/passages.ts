/**
 * Reads the passages of a generation's documents: kinds, headings, text, similarity to a query, and matching words.
 * Works for dead documents too.
 */

import type { Generation } from '../generation.ts';
import type { LexicalQuery } from '../lexical/query/query.ts';
import { PASSAGE_KINDS, type Passage, type PassageKind } from '../passage.ts';
import { documentVector } from '../segment/passage-vectors.ts';
import type { SegmentReader } from '../segment/reader.ts';

const REQUEST = PASSAGE_KINDS.indexOf('request');

export class PassageReader {
  readonly #generation: Generation;

  constructor(generation: Generation) {
    this.#generation = generation;
  }

  /** Cosine of the query with each passage of the document, in order: `Float32Array[passages]`. */
  cosines(query: Float32Array, ordinal: number): Float32Array {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    const from = reader.passageStart[ordinal - base]!;
    const to = reader.passageStart[ordinal - base + 1]!;
    const cosines = new Float32Array(to - from);
    reader.passageVectors.dots(query, from, to, cosines);
    return cosines;
  }

  /** Cosine of the query with each document's card: `Float32Array[ordinals]`. */
  cardCosines(query: Float32Array, ordinals: Uint32Array): Float32Array {
    return this.#bySegment(ordinals, (reader, documents, out) =>
      reader.passageVectors.cards(query, documents, reader, out),
    );
  }

  /** The highest cosine of each document's body passages, or its card's if it has none: `Float32Array[ordinals]`. */
  bestBodyCosines(query: Float32Array, ordinals: Uint32Array): Float32Array {
    return this.#bySegment(ordinals, (reader, documents, out) =>
      reader.passageVectors.bestOfBodies(query, documents, reader, out),
    );
  }

  /**
   * Highest cosine of the query with a request of each document, 0 for documents without one and where it is negative:
   * `Float32Array[ordinals]`. Null if none of them has any.
   */
  requestCosines(query: Float32Array, ordinals: Uint32Array): Float32Array | null {
    let best: Float32Array | null = null;
    for (let at = 0; at < ordinals.length; at += 1) {
      const cosines = this.#requestCosines(query, ordinals[at]!);
      if (cosines === null) continue;
      best ??= new Float32Array(ordinals.length);
      for (const cosine of cosines) best[at] = Math.max(best[at]!, cosine);
    }
    return best;
  }

  /** The request of the document that is nearest to the query; null without one. */
  nearestRequest(query: Float32Array, ordinal: number): Passage | null {
    const cosines = this.#requestCosines(query, ordinal);
    if (cosines === null) return null;
    const place = cosines.indexOf(cosines.reduce((most, cosine) => Math.max(most, cosine)));
    return this.get(ordinal, this.kinds(ordinal).length - cosines.length + place);
  }

  /** Number of requests of the document, which are its last passages. */
  requestCount(ordinal: number): number {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    const first = reader.passageStart[ordinal - base]!;
    const end = reader.passageStart[ordinal - base + 1]!;
    let from = end;
    while (from > first && reader.kinds[from - 1] === REQUEST) from -= 1;
    return end - from;
  }

  kinds(ordinal: number): PassageKind[] {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    const { kinds, passageStart } = reader;
    const own = kinds.subarray(passageStart[ordinal - base]!, passageStart[ordinal - base + 1]!);
    return Array.from(own, (kind) => PASSAGE_KINDS[kind]!);
  }

  /** Number of passages from the document's reference files. */
  referenceCount(ordinal: number): number {
    return this.kinds(ordinal).filter((kind) => kind === 'reference').length;
  }

  /**
   * For each passage of the document, the sum of the weights of the query terms that it contains:
   * `Float64Array[passages]`.
   */
  weights(query: LexicalQuery, ordinal: number): Float64Array {
    return this.#heldWeights(query, ordinal).slice();
  }

  /** The query terms that a passage of the document contains, as indexes into `query.terms`, ascending. */
  terms(query: LexicalQuery, ordinal: number, at: number): number[] {
    const open = this.#generation.segmentOf(ordinal);
    return open.reader.passageTerms.held(
      query,
      this.#generation.segments.indexOf(open),
      ordinal - open.base,
      at,
    );
  }

  /**
   * For each document, the highest share of the query's `mass` in a single passage, 0–1. Ignores the card, the first
   * passage; 0 if there is no other. `Float32Array[ordinals]`.
   */
  bestCoverage(query: LexicalQuery, ordinals: Uint32Array): Float32Array {
    const coverage = new Float32Array(ordinals.length);
    if (query.mass === 0) return coverage;
    for (let at = 0; at < ordinals.length; at += 1) {
      const weights = this.#heldWeights(query, ordinals[at]!);
      let best = 0;
      for (let passage = 1; passage < weights.length; passage += 1) best = Math.max(best, weights[passage]!);
      coverage[at] = Math.min(1, best / query.mass);
    }
    return coverage;
  }

  /** Passage number `at` of a document. */
  get(ordinal: number, at: number): Passage {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    return reader.passage(reader.passageStart[ordinal - base]! + at);
  }

  /** The last heading of each body passage, in order, without duplicates. */
  headings(ordinal: number): string[] {
    const kinds = this.kinds(ordinal);
    const found = kinds.flatMap((kind, at) =>
      kind === 'body' ? (this.get(ordinal, at).heading.at(-1) ?? []) : [],
    );
    return [...new Set(found)];
  }

  /** The card's stored vector: `Float32Array[d]`, of about unit length, or zeros. */
  cardVector(ordinal: number): Float32Array {
    return this.#vectors(ordinal, 1);
  }

  /** The document's summary vector if it had another card: `Float32Array[d]`, unit length. */
  summaryWith(card: Float32Array, ordinal: number): Float32Array {
    const kinds = this.kinds(ordinal);
    const vectors = this.#vectors(ordinal, kinds.length);
    vectors.set(card);
    return documentVector(
      vectors,
      kinds.map((kind) => ({ kind })),
      card.length,
    );
  }

  #requestCosines(query: Float32Array, ordinal: number): Float32Array | null {
    const count = this.requestCount(ordinal);
    if (count === 0) return null;
    const { reader, base } = this.#generation.segmentOf(ordinal);
    const end = reader.passageStart[ordinal - base + 1]!;
    const cosines = new Float32Array(count);
    reader.passageVectors.dots(query, end - count, end, cosines);
    return cosines;
  }

  #heldWeights(query: LexicalQuery, ordinal: number): Float64Array {
    const open = this.#generation.segmentOf(ordinal);
    return open.reader.passageTerms.weights(
      query,
      this.#generation.segments.indexOf(open),
      ordinal - open.base,
    );
  }

  /** One number per document; `fill` computes those of one segment from local numbers. */
  #bySegment(
    ordinals: Uint32Array,
    fill: (reader: SegmentReader, documents: Uint32Array, out: Float32Array) => void,
  ): Float32Array {
    const cosines = new Float32Array(ordinals.length);
    // In runs of one segment, because ordinals are mostly in order.
    for (let from = 0; from < ordinals.length; ) {
      const { reader, base } = this.#generation.segmentOf(ordinals[from]!);
      const last = base + reader.meta.documents;
      let to = from + 1;
      while (to < ordinals.length && ordinals[to]! >= base && ordinals[to]! < last) to += 1;
      const documents = ordinals.subarray(from, to).map((ordinal) => ordinal - base);
      fill(reader, documents, cosines.subarray(from, to));
      from = to;
    }
    return cosines;
  }

  /** Vectors of the document's first `count` passages, row-major. */
  #vectors(ordinal: number, count: number): Float32Array {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    return reader.passageVectors.rows(reader.passageStart[ordinal - base]!, count);
  }
}
