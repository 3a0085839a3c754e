/**
 * Lexical search: queries over the columns of all segments of a snapshot (`postings/columns.ts`). The caller combines
 * its results with those of vector search.
 *
 * A document's ordinal is the number of documents in earlier segments plus its local number.
 */

import { type Ranking, TopK } from '../../ranking.ts';
import { impactStep } from '../postings/bm25f.ts';
import type { LexicalColumns } from '../postings/columns.ts';
import { type LexicalQuery, prepareQuery, type Speakers } from './query.ts';
import { identifierShares, type LexicalSignals, lexicalSignals, termFields } from './signals.ts';
import { type CountDocuments, TermStatistics } from './statistics.ts';

export class LexicalSearch {
  readonly #segments: readonly LexicalColumns[];
  readonly #statistics: TermStatistics;
  readonly #step = impactStep();
  /** One score per document, all zeros between queries. */
  readonly #scores: Float32Array;

  /**
   * `documents` is the number of those that count, for idf: the living ones, or those of `count`. `scores` is one score per
   * stored document, all zeros.
   */
  constructor(
    segments: readonly LexicalColumns[],
    documents: number,
    { scores, count }: { readonly scores?: Float32Array; readonly count?: CountDocuments } = {},
  ) {
    this.#segments = segments;
    this.#statistics = new TermStatistics(segments, documents, count);
    this.#scores = scores ?? new Float32Array(segments.reduce((sum, { documents }) => sum + documents, 0));
  }

  /** Whether so many documents have the term. */
  holds(term: string, least = 1): boolean {
    return this.#statistics.holds(term, least);
  }

  /** How far the learned weights hold for these documents, 0–1 (`word-weights.ts`). */
  get trust(): number {
    return this.#statistics.trust;
  }

  /**
   * Looks up a query's words for `match` and `signals`. With `language`, an ISO 639-1 code whose stemmer is loaded, also
   * by the stems of that language; with `speakers`, words weigh by their rarity in these documents.
   */
  prepare(query: string, language: string | null = null, speakers: Speakers | null = null): LexicalQuery {
    return prepareQuery(query, this.#statistics, { trust: this.trust, language, speakers });
  }

  /**
   * The k documents with the highest BM25F score: Σ weight × impact over the query's terms. Returns only documents that
   * contain a term and, if `accept` is given, have `accept[ordinal] === 1`. `accept` must exclude dead documents.
   *
   * Adds up all postings of all terms, then sweeps the scores once. This measured faster than tracking touched scores
   * and than MaxScore: natural questions are long, and the bounds of their common words exclude few documents
   * (`bench/TRIED.md`).
   */
  match(query: LexicalQuery, k: number, accept?: Uint8Array): Ranking {
    const scores = this.#scores;
    let base = 0;
    this.#segments.forEach((columns, segment) => {
      const { numbers, terms } = query.segments[segment]!;
      const own = scores.subarray(base, base + columns.documents);
      for (let at = 0; at < numbers.length; at += 1)
        addTerm(own, columns, numbers[at]!, query.terms[terms[at]!]!.weight * this.#step);
      base += columns.documents;
    });
    const best = new TopK(Math.min(k, scores.length));
    let bar = 0;
    for (let ordinal = 0; ordinal < scores.length; ordinal += 1) {
      // In ascending order, a document that only ties with the worst kept one loses.
      if (scores[ordinal]! <= bar || (accept !== undefined && accept[ordinal] !== 1)) continue;
      best.push(ordinal, scores[ordinal]!);
      bar = Math.max(0, best.threshold);
    }
    scores.fill(0);
    return best.drain();
  }

  /** Lexical signals of these documents; see `LexicalSignals`. */
  signals(query: LexicalQuery, ordinals: Uint32Array): LexicalSignals {
    return lexicalSignals(this.#segments, query, ordinals, this.#step);
  }

  /** Share of the query's identifiers that each document holds; see `identifierShares`. */
  identifierShares(query: LexicalQuery, ordinals: Uint32Array): Float32Array {
    return identifierShares(this.#segments, query, ordinals);
  }

  /** For each query term in order: bit f is set if field f of `FIELDS` of the document contains it. */
  termFields(query: LexicalQuery, ordinal: number): Uint8Array {
    return termFields(this.#segments, query, ordinal);
  }
}

function addTerm(
  scores: Float32Array,
  { offsets, postings, impacts }: LexicalColumns,
  term: number,
  weight: number,
): void {
  const end = offsets[term + 1]!;
  for (let at = offsets[term]!; at < end; at += 1) scores[postings[at]!]! += weight * impacts[at]!;
}
