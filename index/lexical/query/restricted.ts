/**
 * Lexical search over some of the documents as if the others did not exist, so that scores reveal nothing about them.
 * Stored impacts depend on the mean lengths of the whole index and stored frequencies on all documents. Both are
 * recomputed here from the accepted documents, for the terms of each query, by the code that made the stored ones. The
 * result equals, bit by bit, that of an index with only these documents.
 */

import { type Ranking, TopK } from '../../ranking.ts';
import {
  averagesOf,
  BM25F,
  type FieldAverages,
  impactAt,
  impactStep,
  lengthFactors,
  WIDTH,
  weighBy,
} from '../postings/bm25f.ts';
import type { LexicalColumns } from '../postings/columns.ts';
import type { LexicalQuery } from './query.ts';
import { LexicalSearch } from './search.ts';
import { type LexicalSignals, lexicalSignals } from './signals.ts';
import type { CountDocuments } from './statistics.ts';

/** What depends on the accepted documents alone, and not on a query. */
export class RestrictedDocuments {
  /** Mean lengths over the accepted documents. */
  readonly averages: FieldAverages;
  /** Ordinals of the accepted documents in key order, which breaks ties. */
  readonly order: Uint32Array;
  /** By segment: 1 for each accepted document. */
  readonly accepted: readonly Uint8Array[];
  /** By segment: `lengthFactors` of its documents. */
  readonly factors: readonly Float64Array[];
  /** One score per document, all zeros between queries. */
  readonly scores: Float32Array;

  constructor(segments: readonly Pick<LexicalColumns, 'documents' | 'lengths'>[], order: Uint32Array) {
    const total = segments.reduce((sum, { documents }) => sum + documents, 0);
    this.order = order;
    this.scores = new Float32Array(total);
    const all = new Uint8Array(total);
    for (const ordinal of order) all[ordinal] = 1;
    let base = 0;
    this.accepted = segments.map(({ documents }) => {
      base += documents;
      return all.subarray(base - documents, base);
    });
    this.averages = averagesOf(this.#lengthsIn(segments));
    this.factors = segments.map(({ lengths }) => lengthFactors(lengths, this.averages));
  }

  /** Length rows of the accepted documents. */
  #lengthsIn(segments: readonly Pick<LexicalColumns, 'lengths'>[]): Uint32Array {
    const rows = new Uint32Array(this.order.length * WIDTH);
    let row = 0;
    segments.forEach(({ lengths }, segment) => {
      this.accepted[segment]!.forEach((accepted, document) => {
        if (accepted !== 1) return;
        rows.set(lengths.subarray(WIDTH * document, WIDTH * (document + 1)), row);
        row += WIDTH;
      });
    });
    return rows;
  }
}

export class RestrictedSearch extends LexicalSearch {
  readonly #segments: readonly LexicalColumns[];
  readonly #documents: RestrictedDocuments;
  readonly #step = impactStep();

  /** `segments` must include frequencies. */
  constructor(segments: readonly LexicalColumns[], documents: RestrictedDocuments) {
    const { order, scores } = documents;
    super(segments, order.length, { scores, count: countAccepted(segments, documents) });
    this.#segments = segments;
    this.#documents = documents;
  }

  /** Mean lengths over the accepted documents. */
  get averages(): FieldAverages {
    return this.#documents.averages;
  }

  /** As `LexicalSearch.match`, except that the lower key wins among equal scores. */
  override match(query: LexicalQuery, k: number, accept?: Uint8Array): Ranking {
    const { scores, order } = this.#documents;
    let base = 0;
    this.#segments.forEach((columns, segment) => {
      const { numbers, terms } = query.segments[segment]!;
      const own = scores.subarray(base, base + columns.documents);
      for (let at = 0; at < numbers.length; at += 1)
        this.#addTerm(own, segment, numbers[at]!, query.terms[terms[at]!]!.weight * this.#step);
      base += columns.documents;
    });
    const best = new TopK(Math.min(k, order.length));
    let bar = 0;
    for (let place = 0; place < order.length; place += 1) {
      const ordinal = order[place]!;
      if (scores[ordinal]! <= bar || (accept !== undefined && accept[ordinal] !== 1)) continue;
      best.push(place, scores[ordinal]!);
      bar = Math.max(0, best.threshold);
    }
    scores.fill(0);
    const found = best.drain();
    return { ordinals: found.ordinals.map((place) => order[place]!), scores: found.scores };
  }

  /** Signals of accepted documents. */
  override signals(query: LexicalQuery, ordinals: Uint32Array): LexicalSignals {
    const wanted = new Uint8Array(this.#documents.scores.length);
    for (const ordinal of ordinals) wanted[ordinal] = 1;
    let base = 0;
    const segments = this.#segments.map(({ documents }, segment) => {
      base += documents;
      const own = wanted.subarray(base - documents, base);
      return this.#postingsOf(query.segments[segment]!.numbers, segment, own);
    });
    // The same terms with their numbers in the new columns.
    const own = query.segments.map(({ numbers, terms }) => ({
      numbers: Uint32Array.from(numbers.keys()),
      terms,
    }));
    return lexicalSignals(segments, { ...query, segments: own }, ordinals, this.#step);
  }

  #addTerm(scores: Float32Array, segment: number, term: number, weight: number): void {
    const { offsets, postings, frequencies } = this.#segments[segment]!;
    const accepted = this.#documents.accepted[segment]!;
    const factors = this.#documents.factors[segment]!;
    const end = offsets[term + 1]!;
    for (let at = offsets[term]!; at < end; at += 1) {
      const document = postings[at]!;
      if (accepted[document] === 1)
        scores[document]! += weight * impactAt(frequencies, at, factors, document, BM25F);
    }
  }

  /** The postings of these terms in the wanted documents, with new weights. */
  #postingsOf(numbers: Uint32Array, segment: number, wanted: Uint8Array): LexicalColumns {
    const columns = this.#segments[segment]!;
    const postings: number[] = [];
    const frequencies: number[] = [];
    const offsets = new Uint32Array(numbers.length + 1);
    for (let place = 0; place < numbers.length; place += 1) {
      const end = columns.offsets[numbers[place]! + 1]!;
      for (let at = columns.offsets[numbers[place]!]!; at < end; at += 1) {
        if (wanted[columns.postings[at]!] !== 1) continue;
        postings.push(columns.postings[at]!);
        for (let field = 0; field < WIDTH; field += 1)
          frequencies.push(columns.frequencies[WIDTH * at + field]!);
      }
      offsets[place + 1] = postings.length;
    }
    const kept = Uint32Array.from(postings);
    const counts = Uint8Array.from(frequencies);
    const weighed = weighBy(kept, counts, this.#documents.factors[segment]!);
    return { ...columns, offsets, postings: kept, frequencies: counts, ...weighed };
  }
}

const countAccepted =
  (segments: readonly LexicalColumns[], { accepted }: RestrictedDocuments): CountDocuments =>
  (segment, number) => {
    const { offsets, postings, touch } = segments[segment]!;
    touch?.(number);
    const counts = accepted[segment]!;
    let count = 0;
    for (let at = offsets[number]!; at < offsets[number + 1]!; at += 1) count += counts[postings[at]!]!;
    return count;
  };
