/**
 * Where one skill stands for a query, whether or not the search reaches it: among the candidates, or else among all
 * skills scored alike. Also with other signals than the index has of it, as if its description were another.
 */

import type { Reader } from '#index';
import { type Candidates, depthFor } from './candidates.ts';
import { collapse } from './collapse.ts';
import {
  type Features,
  type FirstSignals,
  featuresFrom,
  firstSignalsOf,
  type PassageSignals,
  passageSignalsOf,
  type Signals,
} from './features.ts';
import { likenessOf, ranked } from './order.ts';
import { withPassages } from './rerank.ts';

/** What decides whether a skill becomes a candidate. */
export interface Reach {
  /** BM25F score. */
  readonly words: number;
  /** Cosine of the summary vector; 0 without vectors. */
  readonly meaning: number;
}

/** Signals of one skill (columns of length 1), and its reach. */
export interface Trial {
  readonly signals: Signals;
  readonly reach: Reach;
}

export interface Standing {
  /** From 1. Among candidates twins count once, as in an answer; among all skills each one counts. */
  readonly rank: number;
  /** Whether the search makes it a candidate at all. */
  readonly reached: boolean;
  /** Ordinal of the near-identical skill under which it is shown, or null. */
  readonly foldedUnder: number | null;
  readonly score: number;
  /** Of all that took part, with the skill at column `at`. */
  readonly features: Features;
  readonly at: number;
  /** Ordinals of all that took part, in order of the columns. */
  readonly ordinals: Uint32Array;
  /** Columns that lead a place, best first. */
  readonly leaders: readonly number[];
}

/** All that is asked of one query and one skill, with what need be computed once only. */
export class Arena {
  readonly #reader: Reader;
  readonly #candidates: Candidates;
  readonly #accept: Uint8Array;
  readonly #ordinal: number;
  /** What a further skill must reach to be among the candidates. */
  readonly #bar: Reach;
  readonly #near: FirstSignals;
  #all: { readonly ordinals: Uint32Array; readonly first: FirstSignals } | null = null;

  private constructor(
    reader: Reader,
    candidates: Candidates,
    accept: Uint8Array,
    ordinal: number,
    bar: Reach,
  ) {
    this.#reader = reader;
    this.#candidates = candidates;
    this.#accept = accept;
    this.#ordinal = ordinal;
    this.#bar = bar;
    this.#near = firstSignalsOf(reader, candidates.ordinals, candidates.words, candidates.vector);
  }

  static async open(reader: Reader, candidates: Candidates, accept: Uint8Array, ordinal: number) {
    const { words, vector } = candidates;
    // The others': a skill that is tried does not stand in its own way.
    const others = accept.slice();
    others[ordinal] = 0;
    const depth = depthFor(reader.documents);
    const byWords = reader.lexical.match(words, depth, others).scores;
    const byMeaning =
      vector === null ? null : (await reader.vectorsForSearch()).nearest(vector, depth, others).scores;
    const bar = {
      words: byWords.length < depth ? 0 : byWords[depth - 1]!,
      meaning:
        byMeaning === null
          ? Number.POSITIVE_INFINITY
          : byMeaning.length < depth
            ? Number.NEGATIVE_INFINITY
            : byMeaning[depth - 1]!,
    };
    return new Arena(reader, candidates, accept, ordinal, bar);
  }

  /** As the index has it. */
  now(): Standing {
    const { ordinals } = this.#candidates;
    return ordinals.includes(this.#ordinal) ? this.#among(ordinals, this.#near, null) : this.#amongAll(null);
  }

  /** With other signals. */
  with({ signals, reach }: Trial): Standing {
    if (!(reach.words > this.#bar.words || reach.meaning > this.#bar.meaning)) return this.#amongAll(signals);
    const { ordinals } = this.#candidates;
    const at = ordinals.indexOf(this.#ordinal);
    if (at >= 0) return this.#among(ordinals, eachColumn(this.#near, signals, replaced(at)), signals);
    const joined = Uint32Array.from([...ordinals, this.#ordinal]);
    return this.#among(
      joined,
      eachColumn(this.#near, signals, (column, own) => [...column, ...own]),
      signals,
    );
  }

  /** `own` are the skill's, where they are not what the index has. */
  #among(ordinals: Uint32Array, first: FirstSignals, own: PassageSignals | null): Standing {
    const { at, features, order } = this.#ranked(ordinals, first, own);
    const { areTwins } = likenessOf(this.#reader, ordinals, order.scores);
    const { folded } = collapse(order.order, ordinals.length, areTwins);
    const place = folded.findIndex(({ leader, twins }) => leader === at || twins.includes(at));
    const leader = folded[place]!.leader;
    return {
      rank: place + 1,
      reached: true,
      foldedUnder: leader === at ? null : ordinals[leader]!,
      score: order.scores[at]!,
      features,
      at,
      ordinals,
      leaders: folded.map((group) => group.leader),
    };
  }

  #amongAll(own: Signals | null): Standing {
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
    const { at, features, order } = this.#ranked(ordinals, first, own);
    return {
      rank: order.order.indexOf(at) + 1,
      reached: false,
      foldedUnder: null,
      score: order.scores[at]!,
      features,
      at,
      ordinals,
      leaders: order.order,
    };
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
    const features = featuresFrom(withPassages(first, look));
    return { at, features, order: ranked(this.#reader, ordinals, features) };
  }
}

const replaced = (at: number) => (column: Float32Array, own: Float32Array) => column.with(at, own[0]!);

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
    nameInQuery: joined('nameInQuery'),
    identifiers: joined('identifiers'),
    card: joined('card'),
  };
}
