/** The remembered requests as a small index: their terms, and their vectors. */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { dot } from '../../index/vectors/float.ts';
import type { Embedder, LexicalQuery } from '../../src/app/extension-api.ts';
import type { History } from './history.ts';

/** What common words add to the cosine (`npm run bench -- learn`). */
const COMMON_WORDS = 0.15;

export class RequestTable {
  /** The history that the rows are numbered by. */
  readonly #history: History;
  readonly #embedder: Embedder | null;
  /** Numbers of the terms. */
  readonly #numbers = new Map<string, number>();
  /** Distinct terms of each row, as their numbers. */
  readonly #terms: Uint32Array[] = [];
  /** By term number: its weight in the query that is compared, else 0. */
  #weights = new Float32Array(0);
  /** Of each row, unit length; none without a model. */
  readonly #vectors: Float32Array[] = [];
  #indexing: Promise<void> | null = null;

  constructor(history: History, embedder: Embedder | null) {
    this.#history = history;
    this.#embedder = embedder;
  }

  isOf(history: History): boolean {
    return history === this.#history;
  }

  /** Takes in the requests that were added. */
  async update(): Promise<void> {
    while (this.#terms.length < this.#history.requests.length) {
      this.#indexing ??= this.#index().finally(() => {
        this.#indexing = null;
      });
      await this.#indexing;
    }
  }

  /**
   * Similarities of a query with each of the rows (`Float32Array[rows.length]`), from 0: the cosine and a little for
   * common words, at most 1.15; without a vector the common words alone, at most 1. `vector` has unit length.
   */
  similarities(words: LexicalQuery, vector: Float32Array | null, rows: Uint32Array): Float32Array {
    const similarities = this.#sharedWords(words, rows);
    if (vector === null || this.#embedder === null) return similarities;
    return similarities.map(
      (common, at) => Math.max(0, dot(vector, this.#vectors[rows[at]!]!)) + COMMON_WORDS * common,
    );
  }

  /**
   * For each row the geometric mean of two shares: of the query's weight in common words, and of the request's words that
   * are common. A long request that holds every word fits nothing well.
   */
  #sharedWords({ terms, mass }: LexicalQuery, rows: Uint32Array): Float32Array {
    const shares = new Float32Array(rows.length);
    if (mass <= 0) return shares;
    if (this.#weights.length < this.#numbers.size) this.#weights = new Float32Array(2 * this.#numbers.size);
    const weights = this.#weights;
    const known = terms.flatMap(({ term, weight }) => {
      const number = this.#numbers.get(term);
      return number === undefined ? [] : { number, weight };
    });
    for (const { number, weight } of known) weights[number] = weight;
    for (let at = 0; at < rows.length; at += 1) {
      const own = this.#terms[rows[at]!]!;
      let weight = 0;
      let count = 0;
      for (let place = 0; place < own.length; place += 1) {
        const shared = weights[own[place]!]!;
        weight += shared;
        if (shared > 0) count += 1;
      }
      if (count > 0) shares[at] = Math.sqrt((weight / mass) * (count / own.length));
    }
    for (const { number } of known) weights[number] = 0;
    return shares;
  }

  async #index(): Promise<void> {
    for (const { text } of this.#history.requests.slice(this.#terms.length)) {
      if (this.#embedder !== null) this.#vectors.push(await this.#embedder.embedQuery(text));
      this.#terms.push(Uint32Array.from(new Set(termsOf(text)), (term) => this.#numberOf(term)));
    }
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    return number;
  }
}
