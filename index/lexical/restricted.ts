/**
 * A search over some of the documents as if there were no others: for whoever must not learn from a score what else
 * there is. Stored impacts hold the whole index's mean lengths, and stored posting counts its frequencies; so here both
 * are made anew from the documents that count, for the few terms of each query, by the same code that made the stored
 * ones. The result equals, bit by bit, that of an index made of these documents alone.
 */

import { type Ranking, TopK } from '../ranking.ts';
import {
  averagesOf,
  BM25F,
  type Bm25fParameters,
  type FieldAverages,
  impactStep,
  lengthFactors,
  WIDTH,
  weighBy,
} from './bm25f.ts';
import type { LexicalColumns } from './columns.ts';
import { type LexicalQuery, prepareQuery } from './query.ts';
import { addScores, LexicalSearch } from './search.ts';
import { type LexicalSignals, signalsOf } from './signals.ts';

/** A query's own postings: small columns with just its terms and the documents that count. */
interface Weighed {
  readonly segments: readonly LexicalColumns[];
  /** The query with its terms numbered as in these columns. */
  readonly query: LexicalQuery;
}

export class RestrictedSearch extends LexicalSearch {
  /** Means over the documents that count. */
  readonly averages: FieldAverages;
  readonly #segments: readonly LexicalColumns[];
  /** Ordinals of the documents that count, in order of their keys: ties are broken by it. */
  readonly #order: Uint32Array;
  /** By segment: 1 for each of its documents that counts. */
  readonly #accepted: readonly Uint8Array[];
  /** By segment: `lengthFactors` of its documents. */
  readonly #factors: readonly Float64Array[];
  readonly #parameters: Bm25fParameters;
  readonly #scores: Float32Array;
  readonly #weighed = new WeakMap<LexicalQuery, Weighed>();

  /** `segments` need their frequencies. */
  constructor(segments: readonly LexicalColumns[], order: Uint32Array, parameters: Bm25fParameters = BM25F) {
    super(segments, order.length, parameters);
    this.#segments = segments;
    this.#order = order;
    this.#parameters = parameters;
    const total = segments.reduce((sum, { documents }) => sum + documents, 0);
    this.#scores = new Float32Array(total);
    const all = new Uint8Array(total);
    for (const ordinal of order) all[ordinal] = 1;
    let base = 0;
    this.#accepted = segments.map(({ documents }) => {
      base += documents;
      return all.subarray(base - documents, base);
    });
    this.averages = averagesOf(this.#lengths());
    this.#factors = segments.map(({ lengths }) => lengthFactors(lengths, this.averages, parameters));
  }

  override prepare(text: string): LexicalQuery {
    return prepareQuery(text, this.#segments, this.#order.length, (segment, number) => {
      const { offsets, postings } = this.#segments[segment]!;
      const accepted = this.#accepted[segment]!;
      let count = 0;
      for (let at = offsets[number]!; at < offsets[number + 1]!; at += 1) count += accepted[postings[at]!]!;
      return count;
    });
  }

  /** As in the whole, but that among equal scores the lower key is better. */
  override match(query: LexicalQuery, k: number, accept?: Uint8Array): Ranking {
    const scores = this.#scores;
    const weighed = this.#weigh(query);
    addScores(scores, weighed.segments, weighed.query, impactStep(this.#parameters));
    const best = new TopK(Math.min(k, this.#order.length));
    let bar = 0;
    for (let place = 0; place < this.#order.length; place += 1) {
      const ordinal = this.#order[place]!;
      if (scores[ordinal]! <= bar || (accept !== undefined && accept[ordinal] !== 1)) continue;
      best.push(place, scores[ordinal]!);
      bar = Math.max(0, best.threshold);
    }
    scores.fill(0);
    const found = best.drain();
    return { ordinals: found.ordinals.map((place) => this.#order[place]!), scores: found.scores };
  }

  override signals(query: LexicalQuery, ordinals: Uint32Array): LexicalSignals {
    const weighed = this.#weigh(query);
    return signalsOf(weighed.segments, weighed.query, ordinals, impactStep(this.#parameters));
  }

  #weigh(query: LexicalQuery): Weighed {
    const known = this.#weighed.get(query);
    if (known !== undefined) return known;
    const made: Weighed = {
      segments: this.#segments.map((_, segment) =>
        this.#postingsOf(query.segments[segment]!.numbers, segment),
      ),
      query: {
        ...query,
        segments: query.segments.map(({ numbers, terms }) => ({
          numbers: Uint32Array.from(numbers.keys()),
          terms,
        })),
      },
    };
    this.#weighed.set(query, made);
    return made;
  }

  /** The postings of these terms that count, weighed anew. */
  #postingsOf(numbers: Uint32Array, segment: number): LexicalColumns {
    const columns = this.#segments[segment]!;
    const accepted = this.#accepted[segment]!;
    const most = numbers.reduce(
      (sum, number) => sum + columns.offsets[number + 1]! - columns.offsets[number]!,
      0,
    );
    const postings = new Uint32Array(most);
    const frequencies = new Uint8Array(WIDTH * most);
    const offsets = new Uint32Array(numbers.length + 1);
    let count = 0;
    numbers.forEach((number, place) => {
      for (let at = columns.offsets[number]!; at < columns.offsets[number + 1]!; at += 1) {
        const document = columns.postings[at]!;
        if (accepted[document] !== 1) continue;
        postings[count] = document;
        for (let field = 0; field < WIDTH; field += 1)
          frequencies[WIDTH * count + field] = columns.frequencies[WIDTH * at + field]!;
        count += 1;
      }
      offsets[place + 1] = count;
    });
    const kept = postings.subarray(0, count);
    return {
      ...columns,
      offsets,
      postings: kept,
      frequencies,
      ...weighBy(kept, frequencies, this.#factors[segment]!, this.#parameters),
    };
  }

  /** Rows of the documents that count. */
  #lengths(): Uint32Array {
    const rows = new Uint32Array(this.#order.length * WIDTH);
    let row = 0;
    this.#segments.forEach(({ lengths }, segment) => {
      this.#accepted[segment]!.forEach((accepted, document) => {
        if (accepted !== 1) return;
        rows.set(lengths.subarray(WIDTH * document, WIDTH * (document + 1)), row);
        row += WIDTH;
      });
    });
    return rows;
  }
}
