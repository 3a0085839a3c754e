/**
 * What the passages of a snapshot's documents tell: their kinds, headings and text, how near each is to a query and
 * which of its words it holds. `reader.ts` adds what is asked of documents. Dead ones answer too.
 */

import type { Generation, OpenSegment } from '../generation.ts';
import type { LexicalQuery } from '../lexical/query/query.ts';
import { PASSAGE_KINDS, type Passage, type PassageKind } from '../passage.ts';
import { documentVector } from '../segment/document-vector.ts';
import type { SegmentReader } from '../segment/reader.ts';

export class PassageReader {
  protected readonly generation: Generation;

  protected constructor(generation: Generation) {
    this.generation = generation;
  }

  /** Cosine of the query with each passage of the document, in their order: `Float32Array[passages]`. */
  passageCosines(query: Float32Array, ordinal: number): Float32Array {
    const { reader, base } = this.segmentOf(ordinal);
    const from = reader.passageStart[ordinal - base]!;
    const to = reader.passageStart[ordinal - base + 1]!;
    const cosines = new Float32Array(to - from);
    reader.passageVectors.dots(query, from, to, cosines);
    return cosines;
  }

  /** Cosine of the query with each document's card: `Float32Array[ordinals]`. */
  cardCosines(query: Float32Array, ordinals: Uint32Array): Float32Array {
    return this.#cosines(ordinals, (reader, documents, out) =>
      reader.passageVectors.cards(query, documents, reader, out),
    );
  }

  /** The highest cosine of each document's body passages, its card's where it has none: `Float32Array[ordinals]`. */
  bestBodyCosines(query: Float32Array, ordinals: Uint32Array): Float32Array {
    return this.#cosines(ordinals, (reader, documents, out) =>
      reader.passageVectors.bestOfBodies(query, documents, reader, out),
    );
  }

  passageKinds(ordinal: number): PassageKind[] {
    const { reader, base } = this.segmentOf(ordinal);
    const { kinds, passageStart } = reader;
    const own = kinds.subarray(passageStart[ordinal - base]!, passageStart[ordinal - base + 1]!);
    return Array.from(own, (kind) => PASSAGE_KINDS[kind]!);
  }

  /** How many passages of the document come from its reference files. */
  referencePassages(ordinal: number): number {
    return this.passageKinds(ordinal).filter((kind) => kind === 'reference').length;
  }

  /** The sum of the weights of the query's words that each passage of the document holds: `Float64Array[passages]`. */
  passageWeights(query: LexicalQuery, ordinal: number): Float64Array {
    return this.#weights(query, ordinal).slice();
  }

  /** The terms that a passage of the document holds, by their places in `query.terms`, ascending. */
  passageTerms(query: LexicalQuery, ordinal: number, at: number): number[] {
    const open = this.segmentOf(ordinal);
    return open.reader.passageTerms.held(query, this.segments.indexOf(open), ordinal - open.base, at);
  }

  /**
   * For each document, the highest share of the query's `mass` that the words in a single passage carry, 0–1, the card
   * (the first) aside; 0 where there is no other passage. `Float32Array[ordinals]`.
   */
  bestPassageCoverage(query: LexicalQuery, ordinals: Uint32Array): Float32Array {
    const coverage = new Float32Array(ordinals.length);
    if (query.mass === 0) return coverage;
    for (let at = 0; at < ordinals.length; at += 1) {
      const weights = this.#weights(query, ordinals[at]!);
      let best = 0;
      for (let passage = 1; passage < weights.length; passage += 1) best = Math.max(best, weights[passage]!);
      coverage[at] = Math.min(1, best / query.mass);
    }
    return coverage;
  }

  /** One passage of a document, by its place among the document's passages. */
  passage(ordinal: number, at: number): Passage {
    const { reader, base } = this.segmentOf(ordinal);
    return reader.passage(reader.passageStart[ordinal - base]! + at);
  }

  /** The last heading of each body passage, in order, without repeats. */
  headings(ordinal: number): string[] {
    const kinds = this.passageKinds(ordinal);
    const found = kinds.flatMap((kind, at) =>
      kind === 'body' ? (this.passage(ordinal, at).heading.at(-1) ?? []) : [],
    );
    return [...new Set(found)];
  }

  /** The card's vector, as it is stored: `Float32Array[d]`, of about unit length, or zeros. */
  cardVector(ordinal: number): Float32Array {
    return this.#passageVectors(ordinal, 1);
  }

  /** The summary vector that the document would have with another card (`Float32Array[d]`, unit length). */
  summaryWith(card: Float32Array, ordinal: number): Float32Array {
    const kinds = this.passageKinds(ordinal);
    const vectors = this.#passageVectors(ordinal, kinds.length);
    vectors.set(card);
    return documentVector(
      vectors,
      kinds.map((kind) => ({ kind })),
      card.length,
    );
  }

  #weights(query: LexicalQuery, ordinal: number): Float64Array {
    const open = this.segmentOf(ordinal);
    return open.reader.passageTerms.weights(query, this.segments.indexOf(open), ordinal - open.base);
  }

  /** A number for each document; `fill` computes those of one segment, from their local numbers. */
  #cosines(
    ordinals: Uint32Array,
    fill: (reader: SegmentReader, documents: Uint32Array, out: Float32Array) => void,
  ): Float32Array {
    const cosines = new Float32Array(ordinals.length);
    // In runs of one segment: ordinals mostly come in order.
    for (let from = 0; from < ordinals.length; ) {
      const { reader, base } = this.segmentOf(ordinals[from]!);
      const last = base + reader.meta.documents;
      let to = from + 1;
      while (to < ordinals.length && ordinals[to]! >= base && ordinals[to]! < last) to += 1;
      const documents = ordinals.subarray(from, to).map((ordinal) => ordinal - base);
      fill(reader, documents, cosines.subarray(from, to));
      from = to;
    }
    return cosines;
  }

  /** Vectors of the document's first passages, row-major. */
  #passageVectors(ordinal: number, count: number): Float32Array {
    const { reader, base } = this.segmentOf(ordinal);
    return reader.passageVectors.rows(reader.passageStart[ordinal - base]!, count);
  }

  protected get segments(): readonly OpenSegment[] {
    return this.generation.segments;
  }

  protected segmentOf(ordinal: number): OpenSegment {
    return this.generation.segmentOf(ordinal);
  }
}
