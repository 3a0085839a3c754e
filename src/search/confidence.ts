/**
 * How probable it is that the catalog holds a skill that fits: a logistic function of what the best candidate shares
 * with the query.
 *
 * Fitted on 887 queries asked of random catalogs of 40, 150 and 1,000 skills and of the examples, once with the skills
 * that answer them and once without, and on requests foreign to the catalog (`bench/README.md` has the figures). The
 * lead over the runner-up told nothing more.
 */

import { type LexicalQuery, wordWeight } from '#index';
import type { Candidates } from './candidates.ts';
import type { Ranked } from './rank.ts';

const INTERCEPT = 0.97;
const CARD = 7.1;
const COVERAGE = 2.4;
/** Of BM25F for each unit of the query's weight: where its words stand in the skill, and how often. */
const MATCH = 1.95;
/** Of ln(1 + distinct words): a long query that is matched this well is seldom matched by chance. */
const LENGTH = 0.54;
/** What is said in words that decide is matched by chance more easily than a story. */
const DECIDEDNESS = -7.3;

/** Below this an answer is marked as weak: one in twenty of the queries that can be answered falls under it. */
const WEAK_BELOW = 0.22;

/** 0–1; null where there is no candidate at all. */
export function confidenceOf({ features, bm25f, words }: Candidates, { order }: Ranked): number | null {
  const [best] = order;
  if (best === undefined) return null;
  const logit =
    INTERCEPT +
    CARD * features.card[best]! +
    COVERAGE * features.coverage[best]! +
    (words.mass > 0 ? (MATCH * bm25f[best]!) / words.mass : 0) +
    LENGTH * Math.log1p(words.terms.length) +
    DECIDEDNESS * decidedness(words);
  return 1 / (1 + Math.exp(-logit));
}

/** Mean of what the query's words are worth in a request (`wordWeight`), by their rarity; 1 where there are none. */
function decidedness({ terms, mass }: LexicalQuery): number {
  const rarity = terms.reduce((sum, { term, weight }) => sum + weight / wordWeight(term), 0);
  return rarity > 0 ? mass / rarity : 1;
}

export const isWeak = (confidence: number | null) => confidence === null || confidence < WEAK_BELOW;
