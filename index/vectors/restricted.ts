/**
 * Nearest neighbours among some rows, as if the others did not exist. Always a scan, because the results of a graph,
 * and whether it is used, depend on all rows.
 */

import { IndexError } from '../errors.ts';
import { type Ranking, TopK } from '../ranking.ts';
import type { ExactIndex, VectorIndex } from './exact.ts';

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
