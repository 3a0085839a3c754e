/**
 * Exact nearest-neighbour search by scanning every row. Also the port of every vector index and the reference for
 * recall.
 */

import { IndexError } from '../errors.ts';
import { lowerBound } from '../numbers.ts';
import { type Ranking, TopK } from '../ranking.ts';
import { quantizeQuery } from './int8.ts';
import { BLOCK_ROWS, type Kernel } from './kernel.ts';
import type { Int8Matrix } from './matrix.ts';

/** Port: finds the rows of a matrix nearest to a query. */
export interface VectorIndex {
  readonly kind: 'exact' | 'hnsw';
  /** Why rows are scanned although a graph was requested; null otherwise. */
  readonly fallback: string | null;
  /**
   * The `k` rows with the highest cosine to `query` (`Float32Array[d]`, unit length), best first, ties by lower row.
   * Only the exact index also guarantees which of several tied rows it keeps in last place. Scores are inner products
   * with the stored rows: cosines from −1 to 1, to within 10⁻⁵.
   *
   * `accept` (`Uint8Array[rows]`, 0 or 1) filters the rows. Do not write to it afterwards: results are cached by its
   * identity. Rows without a vector (all zeros) are never returned, so there may be fewer than `k`. A query of zeros
   * finds nothing. Throws `INDEX_INPUT` for a query or filter of the wrong length, or a query with NaN or Infinity.
   */
  nearest(query: Float32Array, k: number, accept?: Uint8Array): Ranking;
}

export class ExactIndex implements VectorIndex {
  readonly kind = 'exact';
  readonly fallback: string | null;
  readonly matrix: Int8Matrix;
  /** Rows by filter, or by the matrix without one: the same filters recur. */
  readonly #lists = new WeakMap<object, Uint32Array>();

  constructor(matrix: Int8Matrix, fallback: string | null = null) {
    this.matrix = matrix;
    this.fallback = fallback;
  }

  nearest(query: Float32Array, k: number, accept?: Uint8Array): Ranking {
    const best = new TopK(Math.min(k, this.matrix.rows));
    this.collect(query, 0, this.matrix.rows, best, accept);
    return best.drain();
  }

  /** Offers rows `from` to `to` (exclusive) to `best`, by the rules of `nearest`. */
  collect(query: Float32Array, from: number, to: number, best: TopK, accept?: Uint8Array): void {
    const { kernel, rows } = this.matrix;
    const { rows: list, scores } = kernel;
    if (accept !== undefined && accept.length !== rows)
      throw new IndexError('INDEX_INPUT', `A filter for ${rows} rows has ${accept.length} entries.`);
    const queryScale = this.#setQuery(query);
    if (queryScale === 0) return;
    const wanted = this.#rowsOf(accept);
    let bar = best.threshold;
    const end = lowerBound(wanted, to);
    for (let at = lowerBound(wanted, from); at < end; at += BLOCK_ROWS) {
      const block = wanted.subarray(at, Math.min(at + BLOCK_ROWS, end));
      list.set(block);
      const kept = kernel.score(block.length, queryScale, bar);
      for (let place = 0; place < kept; place += 1)
        if (scores[place]! >= bar) {
          best.push(list[place]!, scores[place]!);
          bar = best.threshold;
        }
    }
  }

  /** Cosines of the query with rows `from` to `to` (exclusive), into `out` (`Float32Array[to − from]`). */
  dots(query: Float32Array, from: number, to: number, out: Float32Array): void {
    this.#score(query, to - from, out, (list, at) => {
      for (let place = 0; place < list.length; place += 1) list[place] = from + at + place;
    });
  }

  /** Cosines of the query with the given rows, into `out` (`Float32Array[rows.length]`). */
  dotsAt(query: Float32Array, rows: Uint32Array, out: Float32Array): void {
    this.#score(query, rows.length, out, (list, at) => {
      for (let place = 0; place < list.length; place += 1) list[place] = rows[at + place]!;
    });
  }

  /** `fill` writes the row numbers of a block that starts at index `at` of `total`. */
  #score(
    query: Float32Array,
    total: number,
    out: Float32Array,
    fill: (list: Uint32Array, at: number) => void,
  ): void {
    const { kernel, rows } = this.matrix;
    const queryScale = this.#setQuery(query);
    for (let from = 0; from < total; from += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, total - from);
      const list = kernel.rows.subarray(0, count);
      fill(list, from);
      // The kernel does not check bounds: no row outside the matrix may reach it.
      for (let at = 0; at < count; at += 1) if (list[at]! >= rows) throw outside(list[at]!, rows);
      kernel.score(count, queryScale, Number.NEGATIVE_INFINITY);
      out.set(kernel.scores.subarray(0, count), from);
    }
  }

  /** Rows that have a vector and pass the filter, ascending. */
  #rowsOf(accept: Uint8Array | undefined): Uint32Array {
    const key = accept ?? this.matrix;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const { scales, rows } = this.matrix;
    const list = new Uint32Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row += 1) {
      list[count] = row;
      if (scales[row] !== 0 && (accept === undefined || accept[row] !== 0)) count += 1;
    }
    const own = list.slice(0, count);
    this.#lists.set(key, own);
    return own;
  }

  #setQuery(query: Float32Array): number {
    const { dimensions, kernel } = this.matrix;
    if (query.length !== dimensions)
      throw new IndexError(
        'INDEX_INPUT',
        `The query has ${query.length} dimensions, the index ${dimensions}.`,
      );
    const last = currentQueries.get(kernel);
    if (last !== undefined && areEqual(last.query, query)) return last.scale;
    currentQueries.delete(kernel);
    const scale = quantizeQuery(query, kernel.query);
    currentQueries.set(kernel, { query: query.slice(), scale });
    return scale;
  }
}

/** The query in each kernel's memory: one search scores many documents with the same query. */
const currentQueries = new WeakMap<Kernel, { readonly query: Float32Array; readonly scale: number }>();

function areEqual(a: Float32Array, b: Float32Array): boolean {
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return a.length === b.length;
}

const outside = (row: number, rows: number) => new RangeError(`Row ${row} lies outside a matrix of ${rows}.`);

export class RestrictedIndex implements VectorIndex {
  readonly kind = 'exact';
  readonly fallback = null;
  readonly #exact: ExactIndex;
  readonly #order: Uint32Array;
  /** Ascending, for sequential memory access. */
  readonly #rows: Uint32Array;
  /** By row: its index in the order. */
  readonly #places: Uint32Array;

  /** `order` lists the accepted rows; among equal scores the earlier one wins. */
  constructor(exact: ExactIndex, order: Uint32Array) {
    this.#exact = exact;
    this.#order = order;
    this.#rows = order.filter((row) => exact.matrix.scales[row] !== 0).sort();
    this.#places = new Uint32Array(exact.matrix.rows);
    order.forEach((row, place) => {
      this.#places[row] = place;
    });
  }

  nearest(query: Float32Array, k: number, accept?: Uint8Array): Ranking {
    const { rows } = this.#exact.matrix;
    if (accept !== undefined && accept.length !== rows)
      throw new IndexError('INDEX_INPUT', `A filter for ${rows} rows has ${accept.length} entries.`);
    const wanted = accept === undefined ? this.#rows : accepted(this.#rows, accept);
    const scores = new Float32Array(wanted.length);
    this.#exact.dotsAt(query, wanted, scores);
    const best = new TopK(Math.min(k, wanted.length));
    // A query of zeros finds nothing.
    if (query.some((value) => value !== 0))
      for (let at = 0; at < wanted.length; at += 1)
        if (scores[at]! >= best.threshold) best.push(this.#places[wanted[at]!]!, scores[at]!);
    const found = best.drain();
    return { ordinals: found.ordinals.map((place) => this.#order[place]!), scores: found.scores };
  }
}

function accepted(rows: Uint32Array, accept: Uint8Array): Uint32Array {
  const kept = new Uint32Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    if (accept[rows[at]!] !== 1) continue;
    kept[count] = rows[at]!;
    count += 1;
  }
  return kept.subarray(0, count);
}
