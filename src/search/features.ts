/** The features of each candidate: one row of numbers for each skill, computed from the index alone. */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';

/**
 * `Float32Array[candidates]` for each feature, in the order of the candidates. Every feature has a weight in `rank.ts`.
 * "Supported" values are capped by what the card, or the body, says of the same query: see the constants below.
 */
export interface Features {
  /**
   * BM25F over name, description, body and references, as a share of the best candidate's (0–1), and more for words that
   * few of the best candidates have (`separatingWords`); supported by the card.
   */
  readonly words: Float32Array;
  /** Share of the query's weight whose words occur anywhere in the skill (0–1). */
  readonly coverage: Float32Array;
  /** Highest share of the query's weight whose words occur in one passage (0–1); supported by the card. */
  readonly passage: Float32Array;
  /** Share of the query's code identifiers that the skill writes exactly so (0–1); supported by the card. */
  readonly identifiers: Float32Array;
  /** Share of the name's words that the query contains; counts for queries of a few words only (0–1). */
  readonly name: Float32Array;
  /** Cosine of query and card, supported by the body, as a share of the best candidate's; at most 1, may be negative. */
  readonly cardShare: Float32Array;
  /** Highest cosine of a body passage, supported by the card, as a share of the best candidate's; same range. */
  readonly bestShare: Float32Array;
  /** Less the share of the query's words that its description only sends elsewhere, −1 to 0; see `cards.ts`. */
  readonly elsewhere: Float32Array;
  /** −1 to 0: less for a skill about another product, or another kind of thing, than the query names; see `cards.ts`. */
  readonly product: Float32Array;
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
export interface OwnSignals extends FirstSignals, PassageSignals {}

export interface Signals extends OwnSignals {
  /** How much better each matches the words that separate the best candidates, ≥ 0; see `separatingWords`. */
  readonly separating: Float32Array;
}

/** Cheap signals: computed for every candidate. */
export interface FirstSignals {
  /** BM25F over all fields, ≥ 0. */
  readonly bm25f: Float32Array;
  /** BM25 over name and description, ≥ 0. */
  readonly cardBm25: Float32Array;
  readonly coverage: Float32Array;
  readonly identifiers: Float32Array;
  /** Whether one of them is a number with its sign: it says where it is written, so no card must support it. */
  readonly hasSignedNumber?: boolean | undefined;
  /** Share of the name's words that the query contains, 0–1. */
  readonly name: Float32Array;
  /** `Float32Array[candidates × terms]`, row-major: what each term of the query adds to `bm25f`. */
  readonly byTerm: Float32Array;
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
    hasSignedNumber: words.identifiers.some(({ number }) => number !== undefined),
    name: lexical.nameInQuery,
    byTerm: lexical.byTerm,
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
  const weight = brevity(signals.byTerm.length / Math.max(1, bm25f.length));
  const words = shareOfBest(bm25f);
  const cardShare = shareOfBest(atMost(card, best, CARD_ABOVE_BODY));
  // Without vectors, or where no card resembles the query, there is nothing to cap by.
  const noSupport = cardShare.every((share) => share <= 0);
  const cardWords = shareOfBest(signals.cardBm25);
  const support = column(card.length, (at) => Math.max(cardShare[at]!, CARD_WORDS_SUPPORT * cardWords[at]!));
  const supported = (values: Float32Array, above: number) =>
    noSupport ? values : atMost(values, support, above);
  return {
    words: supported(
      column(words.length, (at) => words[at]! + signals.separating[at]!),
      WORDS_ABOVE_CARD,
    ),
    passage: supported(signals.passage, PASSAGE_ABOVE_CARD),
    identifiers:
      signals.hasSignedNumber === true
        ? signals.identifiers
        : supported(signals.identifiers, PASSAGE_ABOVE_CARD),
    coverage: signals.coverage,
    name: column(bm25f.length, (at) => signals.name[at]! * weight),
    cardShare,
    bestShare: shareOfBest(atMost(best, card, BODY_ABOVE_CARD)),
    // What names and descriptions say is read in `cards.ts`.
    elsewhere: new Float32Array(bm25f.length),
    product: new Float32Array(bm25f.length),
  };
}

/**
 * How far a query of so many terms is keywords, 0–1: then it may name the skill. In a sentence the words of a name occur by
 * chance.
 */
const brevity = (terms: number) => Math.min(1, Math.max(0, (MAX_TERMS - terms) / (MAX_TERMS - FEW_TERMS)));
const FEW_TERMS = 4;
const MAX_TERMS = 7;

/**
 * The best candidates are compared once more by the words that separate them: a word counts less, by up to `COMMON`, the more
 * of them have it. `leaders` are their places. Returns how much larger each leader's share of the best is by these weights,
 * less what every leader gains: ≥ 0, and 0 for the others and for leaders without a word of the query. So no leader falls behind those that were not compared.
 */
export function separatingWords({ bm25f, byTerm }: FirstSignals, leaders: Uint32Array): Float32Array {
  const gains = new Float32Array(bm25f.length);
  const width = byTerm.length / Math.max(1, bm25f.length);
  const weights = new Float32Array(width);
  for (let term = 0; term < width; term += 1) {
    let having = 0;
    for (const leader of leaders) if (byTerm[leader * width + term]! > 0) having += 1;
    weights[term] = 1 - (COMMON * having) / leaders.length;
  }
  const scores = new Float32Array(leaders.length);
  leaders.forEach((leader, at) => {
    for (let term = 0; term < width; term += 1)
      scores[at]! += weights[term]! * byTerm[leader * width + term]!;
  });
  const shares = shareOfBest(scores);
  const usual = shareOfBest(bm25f);
  let least = Number.POSITIVE_INFINITY;
  const isMatching = (leader: number) => bm25f[leader]! > 0;
  leaders.forEach((leader, at) => {
    if (isMatching(leader)) least = Math.min(least, shares[at]! - usual[leader]!);
  });
  leaders.forEach((leader, at) => {
    if (isMatching(leader)) gains[leader] = shares[at]! - usual[leader]! - least;
  });
  return gains;
}

/** A word that all leaders have counts half (`bench/TRIED.md`). */
const COMMON = 0.5;

/** A plain loop: `map` of a typed array takes several times as long. */
function column(length: number, valueAt: (at: number) => number): Float32Array {
  const values = new Float32Array(length);
  for (let at = 0; at < length; at += 1) values[at] = valueAt(at);
  return values;
}

/** Each value, capped at `above` over the other. */
const atMost = (values: Float32Array, others: Float32Array, above: number) =>
  column(values.length, (at) => Math.min(values[at]!, others[at]! + above));

function shareOfBest(scores: Float32Array): Float32Array {
  let best = 0;
  for (let at = 0; at < scores.length; at += 1) best = Math.max(best, scores[at]!);
  return best === 0 ? scores : column(scores.length, (at) => scores[at]! / best);
}
