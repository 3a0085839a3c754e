/**
 * The rank of one skill for a query, also if the search does not find it: then among all skills, scored the same
 * way. Optionally with other signals than the indexed ones, as if its description were another (counterfactual).
 */

import type { Reader } from '../../index/reader/reader.ts';
import { type Candidates, depthFor } from '../search/candidates.ts';
import { withCards } from '../search/cards.ts';
import { collapse, similarityOf } from '../search/copies.ts';
import {
  type Features,
  type FirstSignals,
  featuresFrom,
  firstSignalsOf,
  type OwnSignals,
  type PassageSignals,
  passageSignalsOf,
} from '../search/features.ts';
import { partsOf, withLearned } from '../search/learned.ts';
import { ranked } from '../search/rank.ts';
import { withPassages } from '../search/rerank.ts';
import type { Searchable } from '../search/search.ts';

/** One skill under a hypothetical description. */
export interface Counterfactual {
  /** Columns of length 1. */
  readonly signals: OwnSignals;
  /** Cosine of the summary vector, which decides with `signals.bm25f` whether it becomes a candidate; 0 without vectors. */
  readonly meaning: number;
}

export interface RankResult {
  /** From 1. Among candidates, near-identical skills count once, as in an answer; among all skills, each one counts. */
  readonly rank: number;
  /** Whether the search makes it a candidate. */
  readonly isCandidate: boolean;
  /** Ordinal of the near-identical skill under which it is folded, or null. */
  readonly foldedUnder: number | null;
  readonly score: number;
  /** Features of all ranked skills; the skill's own are in column `at`. */
  readonly features: Features;
  /** What learning adds to each score; null if nothing. */
  readonly learned: Float32Array | null;
  readonly at: number;
  /** Ordinals of all ranked skills, in order of the columns. */
  readonly ordinals: Uint32Array;
  /** Columns of the skills that have a rank of their own, best first. */
  readonly leaders: readonly number[];
}

/** One query and one skill. Caches what does not depend on the skill's signals. */
export class RankingScenario {
  readonly #reader: Reader;
  readonly #candidates: Candidates;
  readonly #accept: Uint8Array;
  readonly #ordinal: number;
  /** A skill with more of either becomes a candidate: a BM25F score, a cosine. */
  readonly #bar: { readonly words: number; readonly meaning: number };
  readonly #near: FirstSignals;
  /** By ordinal, how similar the query is to what the skill was loaded for; skills without a history are absent. */
  readonly #similar: ReadonlyMap<number, number>;
  #all: { readonly ordinals: Uint32Array; readonly first: FirstSignals } | null = null;

  private constructor(
    reader: Reader,
    candidates: Candidates,
    accept: Uint8Array,
    ordinal: number,
    bar: { readonly words: number; readonly meaning: number },
    similar: ReadonlyMap<number, number>,
  ) {
    this.#reader = reader;
    this.#candidates = candidates;
    this.#accept = accept;
    this.#ordinal = ordinal;
    this.#bar = bar;
    this.#similar = similar;
    this.#near = firstSignalsOf(reader, candidates.ordinals, candidates.words, candidates.vector);
  }

  static async open(
    reader: Reader,
    candidates: Candidates,
    accept: Uint8Array,
    ordinal: number,
    learned?: Searchable['learned'],
  ) {
    const { words, vector } = candidates;
    // The skill must not compete with its own indexed version.
    const others = accept.slice();
    others[ordinal] = 0;
    const depth = depthFor(reader.documents);
    const vectors = vector === null ? null : await reader.vectorsForSearch();
    const bar = {
      words: reader.lexical.match(words, depth, others).scores[depth - 1] ?? 0,
      meaning:
        vector === null || vectors === null
          ? Number.POSITIVE_INFINITY
          : (vectors.nearest(vector, depth, others).scores[depth - 1] ?? Number.NEGATIVE_INFINITY),
    };
    const known = Uint32Array.from(new Set([...candidates.ordinals, ordinal]));
    const values = (await learned?.of({ words, vector }, reader, known)) ?? new Float32Array(0);
    const similar = new Map(Array.from(values, (value, at): [number, number] => [known[at]!, value]));
    return new RankingScenario(reader, candidates, accept, ordinal, bar, similar);
  }

  /** The rank with the indexed signals. */
  asIndexed(): RankResult {
    const { ordinals } = this.#candidates;
    return ordinals.includes(this.#ordinal)
      ? this.#amongCandidates(ordinals, this.#near, null)
      : this.#amongAll(null);
  }

  /** The rank with hypothetical signals. */
  with({ signals, meaning }: Counterfactual): RankResult {
    const isFound = signals.bm25f[0]! > this.#bar.words || meaning > this.#bar.meaning;
    if (!isFound) return this.#amongAll(signals);
    const { ordinals } = this.#candidates;
    const at = ordinals.indexOf(this.#ordinal);
    if (at >= 0)
      return this.#amongCandidates(ordinals, eachColumn(this.#near, signals, replaced(at)), signals);
    const joined = Uint32Array.from([...ordinals, this.#ordinal]);
    return this.#amongCandidates(
      joined,
      eachColumn(this.#near, signals, (column, own) => [...column, ...own]),
      signals,
    );
  }

  /** `own` replaces the indexed passage signals of the skill. */
  #amongCandidates(ordinals: Uint32Array, first: FirstSignals, own: PassageSignals | null): RankResult {
    const { at, features, learned, order } = this.#ranked(ordinals, first, own);
    const { areTwins } = similarityOf(this.#reader, ordinals, order.scores);
    const { folded } = collapse(order.order, ordinals.length, areTwins);
    const place = folded.findIndex(({ leader, twins }) => leader === at || twins.includes(at));
    const leader = folded[place]!.leader;
    return {
      rank: place + 1,
      isCandidate: true,
      foldedUnder: leader === at ? null : ordinals[leader]!,
      score: order.scores[at]!,
      features,
      learned,
      at,
      ordinals,
      leaders: folded.map((group) => group.leader),
    };
  }

  #amongAll(own: OwnSignals | null): RankResult {
    const { words, vector } = this.#candidates;
    if (this.#all === null) {
      const ordinals = this.#reader.ordinalsByKey().filter((ordinal) => this.#accept[ordinal] === 1);
      ordinals.sort();
      this.#all = { ordinals, first: firstSignalsOf(this.#reader, ordinals, words, vector) };
    }
    const { ordinals } = this.#all;
    const first =
      own === null
        ? this.#all.first
        : eachColumn(this.#all.first, own, replaced(ordinals.indexOf(this.#ordinal)));
    const { at, features, learned, order } = this.#ranked(ordinals, first, own);
    return {
      rank: order.order.indexOf(at) + 1,
      isCandidate: false,
      foldedUnder: null,
      score: order.scores[at]!,
      features,
      learned,
      at,
      ordinals,
      leaders: order.order,
    };
  }

  #learned(
    ordinals: Uint32Array,
    card: Float32Array,
    unlearned: ReturnType<typeof ranked>,
  ): Float32Array | null {
    if (this.#similar.size === 0) return null;
    const similar = Float32Array.from(ordinals, (ordinal) => this.#similar.get(ordinal) ?? 0);
    return partsOf(similar, card, unlearned, this.#candidates.vector !== null);
  }

  #ranked(ordinals: Uint32Array, first: FirstSignals, own: PassageSignals | null) {
    const { words, vector } = this.#candidates;
    const at = ordinals.indexOf(this.#ordinal);
    const look = (places: Uint32Array): PassageSignals => {
      const those = places.map((place) => ordinals[place]!);
      const seen = passageSignalsOf(this.#reader, those, words, vector);
      const place = places.indexOf(at);
      if (own === null || place < 0) return seen;
      return {
        passage: seen.passage.with(place, own.passage[0]!),
        best: seen.best.with(place, own.best[0]!),
      };
    };
    const seen = featuresFrom(withPassages(first, look));
    const features = withCards(seen, words, first.byTerm, ordinals, this.#reader);
    const unlearned = ranked(this.#reader, ordinals, features);
    const learned = this.#learned(ordinals, first.card, unlearned);
    const order = learned === null ? unlearned : withLearned(this.#reader, ordinals, unlearned, learned);
    return { at, features, learned, order };
  }
}

/** `own` is what one skill has in the column: a number, or a row of numbers. */
const replaced = (at: number) => (column: Float32Array, own: Float32Array) => {
  const copy = column.slice();
  copy.set(own, at * own.length);
  return copy;
};

function eachColumn(
  signals: FirstSignals,
  own: FirstSignals,
  join: (column: Float32Array, own: Float32Array) => ArrayLike<number>,
): FirstSignals {
  const joined = (name: keyof FirstSignals) => Float32Array.from(join(signals[name], own[name]));
  return {
    bm25f: joined('bm25f'),
    cardBm25: joined('cardBm25'),
    coverage: joined('coverage'),
    identifiers: joined('identifiers'),
    name: joined('name'),
    byTerm: joined('byTerm'),
    card: joined('card'),
  };
}
