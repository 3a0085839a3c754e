/** The features of each candidate: one row of numbers for each skill, computed from the index alone. */

import type { LexicalQuery, Reader } from '#index';

/**
 * `Float32Array[candidates]` for each feature, in the order of the candidates. Every feature has a weight in `rank.ts`.
 * "Supported" values are capped by what the card, or the body, says of the same query: see the constants below.
 */
export interface Features {
  /** BM25F over name, description, body and references, as a share of the best candidate's (0–1); supported by the card. */
  readonly words: Float32Array;
  /** Share of the query's weight whose words occur anywhere in the skill (0–1). */
  readonly coverage: Float32Array;
  /** Highest share of the query's weight whose words occur in one passage (0–1); supported by the card. */
  readonly passage: Float32Array;
  /** Share of the query's code identifiers that the skill writes exactly so (0–1); supported by the card. */
  readonly identifiers: Float32Array;
  /** Cosine of query and card, supported by the body, as a share of the best candidate's; at most 1, may be negative. */
  readonly cardShare: Float32Array;
  /** Highest cosine of a body passage, supported by the card, as a share of the best candidate's; same range. */
  readonly bestShare: Float32Array;
}

export type FeatureName = keyof Features;

/**
 * Caps against keyword stuffing, as cosines. The card counts for at most this much more than the best body passage, and
 * a passage for at most this much more than the card. An honest card and body agree; where only one of them matches, it
 * was written to be found. Real skills rank the same with and without the caps (`npm run bench -- stuffing`).
 */
const CARD_ABOVE_BODY = 0.1;
const BODY_ABOVE_CARD = 0.2;

/**
 * Words count for at most this much more than the card, both as shares of the best candidate's. A body that repeats a
 * query belongs to a skill whose description is about something else (`npm run bench -- stuffing`).
 */
const WORDS_ABOVE_CARD = 0.4;

/** The same cap for the words of one passage and for code identifiers: a higher one lets more stuffed bodies win. */
const PASSAGE_ABOVE_CARD = 0.2;

/**
 * Weight of the card's words as support, next to its meaning: the model does not know rare words. A higher weight lets
 * more skills win whose description is the query itself (`npm run bench -- stuffing`).
 */
const CARD_WORDS_SUPPORT = 0.5;

/** What the index knows of each candidate by itself. Columns in the order of the candidates. */
export interface Signals extends FirstSignals, PassageSignals {}

/** Cheap signals: computed for every candidate. */
export interface FirstSignals {
  /** BM25F over all fields, ≥ 0. */
  readonly bm25f: Float32Array;
  /** BM25 over name and description, ≥ 0. */
  readonly cardBm25: Float32Array;
  readonly coverage: Float32Array;
  readonly identifiers: Float32Array;
  /** Cosine of query and card, −1 to 1; 0 where words alone are searched. */
  readonly card: Float32Array;
}

/** Costly signals that read each of a skill's passages: computed for the best candidates only (`rerank.ts`). */
export interface PassageSignals {
  /** Highest share of the query's weight in one passage of body or references; 0 where not computed. */
  readonly passage: Float32Array;
  /** Highest cosine of a body passage; the card's cosine where there is no body or it was not computed. */
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
    identifiers: reader.lexical.identifierShares(words, ordinals),
    card: vector === null ? new Float32Array(ordinals.length) : reader.passages.cardCosines(vector, ordinals),
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
    passage: reader.passages.bestCoverage(words, ordinals),
    best:
      vector === null ? new Float32Array(ordinals.length) : reader.passages.bestBodyCosines(vector, ordinals),
  };
}

/** Compares the candidates with each other: signals → features. */
export function featuresFrom(signals: Signals): Features {
  const { bm25f, card, best } = signals;
  const words = shareOfBest(bm25f);
  const cardShare = shareOfBest(atMost(card, best, CARD_ABOVE_BODY));
  // Without vectors, or where no card resembles the query, there is nothing to cap by.
  const noSupport = cardShare.every((share) => share <= 0);
  const cardWords = shareOfBest(signals.cardBm25);
  const support = cardShare.map((share, at) => Math.max(share, CARD_WORDS_SUPPORT * cardWords[at]!));
  const supported = (column: Float32Array, above: number) =>
    noSupport ? column : atMost(column, support, above);
  return {
    words: supported(words, WORDS_ABOVE_CARD),
    passage: supported(signals.passage, PASSAGE_ABOVE_CARD),
    identifiers: supported(signals.identifiers, PASSAGE_ABOVE_CARD),
    coverage: signals.coverage,
    cardShare,
    bestShare: shareOfBest(atMost(best, card, BODY_ABOVE_CARD)),
  };
}

/** Each value, capped at `above` over the other. */
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
