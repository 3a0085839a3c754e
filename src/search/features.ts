/** What is known of each candidate before it is ranked: one row of numbers a skill, all computed from the index. */

import type { LexicalQuery, Reader } from '#index';

/**
 * Columns in order of the candidates. Lexical scores are shares of what a perfect match of all the query's words
 * would score (0–1); cosines are −1 to 1, and 0 throughout where words alone are searched. Not every column has a
 * weight (`rank.ts`): the others are there for `bench/tune.ts` to try.
 */
export interface Features {
  /** BM25F over name, description, body and references as a share of the best candidate's, as far as `card` bears it out. */
  readonly words: Float32Array;
  /** BM25 over name and description alone, as a share of the best candidate's. */
  readonly cardWords: Float32Array;
  /** Share of the weight of the query whose words occur anywhere in the skill. */
  readonly coverage: Float32Array;
  /** Share of the name's words that the query holds. */
  readonly nameInQuery: Float32Array;
  /** Highest share of the query's weight whose words stand together in one passage, as far as `card` bears it out. */
  readonly passage: Float32Array;
  /** Share of the query's names of code that the skill writes as the query does, as far as `card` bears it out. */
  readonly identifiers: Float32Array;
  /** Cosine of query and card. */
  readonly card: Float32Array;
  /** Highest cosine of a body passage. */
  readonly best: Float32Array;
  /** `card`, as far as the body bears it out, as a share of the best candidate's; at most 1, may be negative. */
  readonly cardShare: Float32Array;
  /** `best`, as far as the card bears it out, likewise. */
  readonly bestShare: Float32Array;
}

export type FeatureName = keyof Features;

/**
 * A card counts for at most this much more than the best passage of the body, and a passage for at most that much more
 * than the card: what a skill says of itself and what it holds bear each other out, or one of them was written to be
 * found. Cosines. On real skills it changes nothing (51.4 / 69.0 · 63.5 / 73.5 with the first alone, 51.4 / 68.9 ·
 * 63.5 / 73.4 with all there is against stuffing, 51.4 / 69.0 · 63.4 / 73.5 with nothing); `bench/README.md`.
 */
const CARD_ABOVE_BODY = 0.1;
const BODY_ABOVE_CARD = 0.2;

/**
 * Words count for at most this much more than what name and description mean or say, as shares of the best candidate's: a body
 * that says a query over and over belongs to a skill that says of itself that it is about something else. Hit@1 /
 * nDCG@10 on dev and skill-evals: 55.0 / 71.2 and 65.8 / 74.4 so, 55.0 / 71.0 and 65.9 / 74.7 without; a skill whose body
 * says the query twenty times comes first for 10 % of the queries instead of 62 %.
 */
const WORDS_ABOVE_CARD = 0.4;

/** The same for the words of one passage and for names of code: 0.4 would let such a body come first for 14 %. */
const PASSAGE_ABOVE_CARD = 0.2;

/**
 * What a card says in the query's very words bears them out for this much: the model knows no rare ones. At 0.7 a skill
 * whose description is the query comes first for 11 % of the queries instead of 8 %.
 */
const SAID = 0.5;

/** What the index says of each candidate by itself, before they are compared. Columns in their order. */
export interface Signals extends FirstSignals, PassageSignals {}

/** What is known of every candidate. */
export interface FirstSignals {
  /** BM25F over all fields, ≥ 0. */
  readonly bm25f: Float32Array;
  /** BM25 over name and description, ≥ 0. */
  readonly cardBm25: Float32Array;
  readonly coverage: Float32Array;
  readonly nameInQuery: Float32Array;
  readonly identifiers: Float32Array;
  /** Cosine of query and card. */
  readonly card: Float32Array;
}

/** What takes a look at each of a skill's passages; of those that nobody looks at, see `rerank.ts`. */
export interface PassageSignals {
  /** Highest share of the query's weight in one passage of body or references; 0 where nobody looked. */
  readonly passage: Float32Array;
  /** Highest cosine of a body passage, the card's where there is no body or nobody looked. */
  readonly best: Float32Array;
}

/** `vector` is null where words alone are searched. */
export function firstSignalsOf(
  reader: Reader,
  ordinals: Uint32Array,
  words: LexicalQuery,
  vector: Float32Array | null,
): FirstSignals {
  const lexical = reader.lexical.signals(words, ordinals);
  return {
    bm25f: lexical.bm25f,
    cardBm25: lexical.card,
    coverage: lexical.bodyCoverage,
    nameInQuery: lexical.nameInQuery,
    identifiers: reader.lexical.identifierShares(words, ordinals),
    card: vector === null ? new Float32Array(ordinals.length) : reader.cardCosines(vector, ordinals),
  };
}

/** `vector` is null where words alone are searched. */
export function passageSignalsOf(
  reader: Reader,
  ordinals: Uint32Array,
  words: LexicalQuery,
  vector: Float32Array | null,
): PassageSignals {
  return {
    passage: reader.bestPassageCoverage(words, ordinals),
    best: vector === null ? new Float32Array(ordinals.length) : reader.bestBodyCosines(vector, ordinals),
  };
}

/** Candidates held against each other. */
export function featuresFrom(signals: Signals): Features {
  const { bm25f, card, best } = signals;
  const words = shareOfBest(bm25f);
  const cardShare = shareOfBest(atMost(card, best, CARD_ABOVE_BODY));
  // Words alone are searched, or no card means anything like the query.
  const meansNothing = cardShare.every((share) => share <= 0);
  const cardWords = shareOfBest(signals.cardBm25);
  const meantOrSaid = cardShare.map((share, at) => Math.max(share, SAID * cardWords[at]!));
  const borneOut = (column: Float32Array, above: number) =>
    meansNothing ? column : atMost(column, meantOrSaid, above);
  return {
    words: borneOut(words, WORDS_ABOVE_CARD),
    passage: borneOut(signals.passage, PASSAGE_ABOVE_CARD),
    identifiers: borneOut(signals.identifiers, PASSAGE_ABOVE_CARD),
    cardWords,
    coverage: signals.coverage,
    nameInQuery: signals.nameInQuery,
    card,
    best,
    cardShare,
    bestShare: shareOfBest(atMost(best, card, BODY_ABOVE_CARD)),
  };
}

/** Each value, but for what it is more than `above` over the other. */
function atMost(values: Float32Array, others: Float32Array, above: number): Float32Array {
  const bounded = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += 1) bounded[at] = Math.min(values[at]!, others[at]! + above);
  return bounded;
}

function shareOfBest(scores: Float32Array): Float32Array {
  let best = 0;
  for (let at = 0; at < scores.length; at += 1) if (scores[at]! > best) best = scores[at]!;
  if (best === 0) return scores;
  const shares = new Float32Array(scores.length);
  for (let at = 0; at < scores.length; at += 1) shares[at] = scores[at]! / best;
  return shares;
}
