/**
 * What requests add to scores: those that a skill carries, and those that it was loaded for. A request is a second card: it
 * counts where it is nearer to the query than the card of the best skill, where the skill's own card is near, too, and where no
 * other skill was loaded for something as similar. The sum is bounded, and only skills that fit on their own get any. The
 * constants are on the plateau that `npm run bench -- learn` measures; what else was tried is in `bench/TRIED.md`.
 */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { byScore, type Ranked } from './rank.ts';

/** Most that is added to a score, which is 0–1. */
const MOST = 0.1;
/** Weights of similarities to the query: of the skill's own card, the best skill's card, the requests of other skills. */
const OWN_CARD = 0.6;
const BEST_CARD = 1.4;
const OTHER_REQUESTS = 0.25;
/** Without vectors cards cannot be compared: similarity of a request that says nothing yet. */
const FROM_BY_WORDS = 0.25;
/** Skills with less than this share of the best score do not fit. */
const FITS_FROM = 0.5;

/** A query as the index prepared it. */
export interface SearchedQuery {
  readonly words: LexicalQuery;
  /** Of unit length; null where words alone are searched. */
  readonly vector: Float32Array | null;
}

export interface AnsweredSearch {
  readonly query: string;
  readonly words: readonly { readonly term: string; readonly weight: number }[];
  /** Ids of skills. */
  readonly hits: readonly string[];
}

/** All that the core knows of learning, where it is on. `who` is the name of a principal. */
export interface Learning {
  /**
   * For each document, from 0 (`Float32Array[ordinals.length]`): how similar the query is to what it was loaded for. Null
   * if none of them was loaded. Depends on nothing but these documents.
   */
  of(query: SearchedQuery, reader: Reader, ordinals: Uint32Array): Promise<Float32Array | null>;
  searched(who: string, search: AnsweredSearch): void;
  /** `skill` is an id. */
  loaded(who: string, skill: string): void;
  /** Writes what waits to be remembered. Never rejects. */
  flush(): Promise<void>;
}

/**
 * What is added to each candidate's score (`Float32Array[candidates]`), from the similarities of `similarRequests` and the
 * cosines of the cards; all in the order of the candidates. Null if nothing is added.
 */
export function partsOf(
  similar: Float32Array,
  card: Float32Array,
  { order, scores }: Ranked,
  hasVectors: boolean,
): Float32Array | null {
  const [best] = order;
  if (best === undefined) return null;
  const [first = 0, second = 0] = similar.toSorted().toReversed();
  const from = hasVectors ? BEST_CARD * card[best]! : FROM_BY_WORDS;
  const parts = similar.map((own, at) => {
    if (own === 0 || scores[at]! < FITS_FROM * scores[best]!) return 0;
    const others = own === first ? second : first;
    const ahead = own + OWN_CARD * card[at]! - from - OTHER_REQUESTS * others;
    return Math.min(MOST, Math.max(0, ahead));
  });
  return parts.some((part) => part > 0) ? parts : null;
}

/** The candidates in order of their scores with the learned parts; ties by key. */
export function withLearned(
  reader: Reader,
  ordinals: Uint32Array,
  { scores }: Ranked,
  parts: Float32Array,
): Ranked {
  const sums = scores.map((score, at) => score + parts[at]!);
  return byScore(sums, (a, b) => reader.compareKeys(ordinals[a]!, ordinals[b]!));
}
