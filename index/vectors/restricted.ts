/**
 * The nearest of some rows, as if there were no others: always a scan, since whether a graph pays, and what it finds,
 * depends on all rows.
 */

import { IndexError } from '../errors.ts';
import { type Ranking, TopK } from '../ranking.ts';
import type { ExactIndex, VectorIndex } from './exact.ts';

export class RestrictedIndex implements VectorIndex {
  readonly kind = 'exact';
  readonly fallback = null;
  readonly #exact: ExactIndex;
  readonly #order: Uint32Array;

  /** `order` lists the rows that count; among equal scores the earlier is better. */
  constructor(exact: ExactIndex, order: Uint32Array) {
    this.#exact = exact;
    this.#order = order;
  }

  nearest(query: Float32Array, k: number, accept?: Uint8Array): Ranking {
    const { rows, scales } = this.#exact.matrix;
    if (accept !== undefined && accept.length !== rows)
      throw new IndexError('INDEX_INPUT', `A filter for ${rows} rows has ${accept.length} entries.`);
    const wanted = this.#order.filter(
      (row) => scales[row] !== 0 && (accept === undefined || accept[row] === 1),
    );
    const scores = new Float32Array(wanted.length);
    this.#exact.dotsAt(query, wanted, scores);
    const best = new TopK(Math.min(k, wanted.length));
    // To a query of zeros nothing is near.
    if (query.some((value) => value !== 0))
      for (let place = 0; place < wanted.length; place += 1)
        if (scores[place]! >= best.threshold) best.push(place, scores[place]!);
    const found = best.drain();
    return { ordinals: found.ordinals.map((place) => wanted[place]!), scores: found.scores };
  }
}
