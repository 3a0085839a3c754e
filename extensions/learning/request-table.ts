/** The remembered requests as a small index: their terms, and their vectors in the matrix that searches scan. */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { ExactIndex } from '../../index/vectors/exact.ts';
import { quantize } from '../../index/vectors/int8.ts';
import { Int8Matrix } from '../../index/vectors/matrix.ts';
import type { Embedder, LexicalQuery } from '../../src/app/extension-api.ts';
import type { History } from './history.ts';

/** Rows of the first matrix; it doubles. */
const FIRST_ROWS = 256;
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
  #vectors: ExactIndex | null = null;
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
    if (vector === null || this.#vectors === null) return similarities;
    const cosines = new Float32Array(rows.length);
    this.#vectors.dotsAt(vector, rows, cosines);
    for (let at = 0; at < rows.length; at += 1)
      similarities[at] = Math.max(0, cosines[at]!) + COMMON_WORDS * similarities[at]!;
    return similarities;
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
    const from = this.#terms.length;
    const added = this.#history.requests.slice(from);
    const texts = added.map(({ text }) => text);
    const vectors = this.#embedder === null ? null : await embedded(texts, this.#embedder);
    if (vectors !== null) this.#add(vectors, from, added.length);
    for (const text of texts)
      this.#terms.push(Uint32Array.from(new Set(termsOf(text)), (term) => this.#numberOf(term)));
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    return number;
  }

  /** `vectors` is `Float32Array[count × d]`. */
  #add(vectors: Float32Array, from: number, count: number): void {
    const dimensions = vectors.length / count;
    let matrix = this.#vectors?.matrix ?? Int8Matrix.allocate(FIRST_ROWS, dimensions);
    if (from + count > matrix.rows) {
      const larger = Int8Matrix.allocate(Math.max(2 * matrix.rows, from + count), dimensions);
      larger.copy(0, from, matrix, 0);
      matrix = larger;
    }
    const { values, scales } = quantize(vectors, dimensions);
    matrix.fill(from, count, (target) =>
      target.set(new Uint8Array(values.buffer, values.byteOffset, values.length)),
    );
    matrix.scales.set(scales, from);
    if (this.#vectors?.matrix !== matrix) this.#vectors = new ExactIndex(matrix);
  }
}

async function embedded(texts: readonly string[], embedder: Embedder): Promise<Float32Array> {
  const vectors = new Float32Array(texts.length * embedder.dimensions);
  for (const [at, text] of texts.entries())
    vectors.set(await embedder.embedQuery(text), at * embedder.dimensions);
  return vectors;
}
