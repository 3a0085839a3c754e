/**
 * What a search says of its own answer: how probable it is that the catalog holds a skill that fits, and that the first
 * hit is the right one. Two logistic functions of a few signs; `bench/confidence.ts` fits such functions, cross-validated,
 * and `bench/README.md` judges these.
 */

import { type LexicalQuery, wordWeight } from '#index';
import type { Candidates } from './candidates.ts';
import type { Ranked } from './rank.ts';

/** What the best candidate shares with the query, and what kind of query it is. */
export interface Signs {
  /** Cosine of query and card. */
  readonly card: number;
  /** Share of the weight of the query whose words the skill holds. */
  readonly coverage: number;
  /** BM25F for each unit of the query's weight: where its words stand in the skill, and how often. */
  readonly match: number;
  /** ln(1 + distinct words): a long query that is matched this well is seldom matched by chance. */
  readonly length: number;
  /** What is said in words that decide is matched by chance more easily than a story: see `decidedness`. */
  readonly decidedness: number;
  /** ln of the skills searched over `USUAL`: among many, something resembles whatever is asked. Not below that of `FEWEST`. */
  readonly size: number;
  /** How far its score is above that of the next other skill, 0 to `MOST_LEAD`; 0 where there is none. */
  readonly lead: number;
}

/** Both 0–1. */
export interface Confidence {
  /** That a skill of the catalog fits. */
  readonly fit: number;
  /** That the first hit is the right one. */
  readonly first: number;
}

/** Log-odds that a skill fits in a catalog of the usual size: fitted on an earlier drawing of catalogs, the examples among them. */
const FIT = { intercept: 0.97, card: 7.1, coverage: 2.4, match: 1.95, length: 0.54, decidedness: -7.3 };
/**
 * What a catalog's size takes from them. Fitted on catalogs of 40 to 24,849 skills it is −0.33; at −0.25 some one in twenty of
 * the queries that can be answered is marked as weak in catalogs of every size (`bench/README.md`).
 */
const SIZE = -0.25;
const USUAL = 150;
/** No smaller catalog was measured. */
const FEWEST = 40;
/** Log-odds that the first is right, given those of a fit in the usual catalog, where one query in five has no answer. */
const FIRST = { intercept: -1.4, fit: 0.5, lead: 7 };
/** A lead beyond this tells no more. */
const MOST_LEAD = 0.6;

/** Below this an answer is marked as weak: one in twenty of the queries that can be answered falls under it. */
const WEAK_BELOW = 0.22;

/** Null where there is no candidate at all. `areTwins` tells which candidates are one skill. */
export function signsOf(
  { features, bm25f, words, searched }: Candidates,
  { order, scores }: Ranked,
  areTwins: (a: number, b: number) => boolean,
): Signs | null {
  const [best] = order;
  if (best === undefined) return null;
  const next = order.find((at) => at !== best && !areTwins(best, at));
  return {
    card: features.card[best]!,
    coverage: features.coverage[best]!,
    match: words.mass > 0 ? bm25f[best]! / words.mass : 0,
    length: Math.log1p(words.terms.length),
    decidedness: decidedness(words),
    size: Math.log(Math.max(FEWEST, searched) / USUAL),
    lead: next === undefined ? 0 : Math.min(MOST_LEAD, scores[best]! - scores[next]!),
  };
}

export function confidenceOf(signs: Signs): Confidence {
  const usual =
    FIT.intercept +
    FIT.card * signs.card +
    FIT.coverage * signs.coverage +
    FIT.match * signs.match +
    FIT.length * signs.length +
    FIT.decidedness * signs.decidedness;
  return {
    fit: logistic(usual + SIZE * signs.size),
    first: logistic(FIRST.intercept + FIRST.fit * usual + FIRST.lead * signs.lead),
  };
}

const logistic = (odds: number) => 1 / (1 + Math.exp(-odds));

/** Mean of what the query's words are worth in a request (`wordWeight`), by their rarity; 1 where there are none. */
function decidedness({ terms, mass }: LexicalQuery): number {
  const rarity = terms.reduce((sum, { term, weight }) => sum + weight / wordWeight(term), 0);
  return rarity > 0 ? mass / rarity : 1;
}

/** Whether no skill seems to fit. */
export const isWeak = (fit: number | null) => fit === null || fit < WEAK_BELOW;
