/**
 * How probable it is that the catalog holds a skill that fits: a logistic function of what the best candidate shares
 * with the query.
 *
 * Fitted on 887 queries asked of random catalogs of 40, 150 and 1,000 skills and of the examples, once with the skills
 * that answer them and once without, and on requests foreign to the catalog (`bench/README.md` has the figures). The
 * lead over the runner-up told nothing more.
 */

import type { Candidates } from './candidates.ts';
import type { Ranked } from './rank.ts';

const INTERCEPT = -8.1;
const CARD = 8.4;
const COVERAGE = 4.5;
/** Of ln(1 + distinct words): a long query that is matched this well is seldom matched by chance. */
const LENGTH = 1.1;

/** Below this an answer is marked as weak: one in twenty of the queries that can be answered falls under it. */
const WEAK_BELOW = 0.17;

/** 0–1; null where there is no candidate at all. */
export function confidenceOf({ features, words }: Candidates, { order }: Ranked): number | null {
  const [best] = order;
  if (best === undefined) return null;
  const logit =
    INTERCEPT +
    CARD * features.card[best]! +
    COVERAGE * features.coverage[best]! +
    LENGTH * Math.log1p(words.terms.length);
  return 1 / (1 + Math.exp(-logit));
}

export const isWeak = (confidence: number | null) => confidence === null || confidence < WEAK_BELOW;
