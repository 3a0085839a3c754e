/**
 * How probable it is that the catalog holds a skill that fits: a logistic function of what the best candidate shares
 * with the query, and of how clearly it leads.
 *
 * Fitted on queries asked of random catalogs of 100 and 1,000 skills and of the examples, once with the skills that
 * answer them and once without, and on requests foreign to the catalog (`bench/README.md` has the figures).
 */

import type { Candidates } from './candidates.ts';
import type { Ranked } from './rank.ts';

const INTERCEPT = -5.6;
const CARD = 4.8;
const COVERAGE = 2.9;
/** Of the lead in score over the runner-up. */
const LEAD = 2.4;
/** Of ln(1 + distinct words): a long query that is matched this well is seldom matched by chance. */
const LENGTH = 0.7;

/** Below this an answer is marked as weak: one in twenty of the queries that can be answered falls under it. */
const WEAK_BELOW = 0.2;

/** 0–1; null where there is no candidate at all. */
export function confidenceOf({ features, words }: Candidates, { order, scores }: Ranked): number | null {
  const [best, second] = order;
  if (best === undefined) return null;
  const lead = scores[best]! - (second === undefined ? 0 : scores[second]!);
  const logit =
    INTERCEPT +
    CARD * features.card[best]! +
    COVERAGE * features.coverage[best]! +
    LEAD * lead +
    LENGTH * Math.log1p(words.terms.length);
  return 1 / (1 + Math.exp(-logit));
}

export const isWeak = (confidence: number | null) => confidence === null || confidence < WEAK_BELOW;
