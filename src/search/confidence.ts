/**
 * Confidence of an answer: the probability that the catalog holds a skill that fits, and that the first hit is the
 * right one. Two logistic functions of a few signals, fitted and cross-validated by `bench/confidence.ts`. The verdict on
 * the fit, and the words for it that the tools, the terminal and the page share, are at the end.
 */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import { wordWeight } from '../../index/lexical/query/word-weights.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { Candidates } from './candidates.ts';
import type { ForeignLanguage } from './language.ts';
import { LANGUAGE_FACET } from './passages/languages.ts';
import type { Ranked } from './rank.ts';

/** What the best candidate has in common with the query, and what kind of query it is. */
export interface ConfidenceSignals {
  /** Cosine of query and card. */
  readonly card: number;
  /** Share of the query's weight whose words the skill contains. */
  readonly coverage: number;
  /** BM25F per unit of the query's weight: which fields contain its words, and how often. */
  readonly match: number;
  /** ln(1 + distinct words): a long query that matches this well seldom matches by chance. */
  readonly length: number;
  /** How far the query is keywords, ≥ 0: ln of how many times more words a sentence has; 0 from `SENTENCE` on. */
  readonly brief: number;
  /** Mean weight of the query's words (see `specificity`): a query of specific words matches by chance more easily. */
  readonly specificity: number;
  /**
   * ln of (skills searched / `USUAL`), bounded below by `FEWEST`: a large catalog holds something similar to any
   * query.
   */
  readonly size: number;
  /** How far its score is above the next different skill's, 0 to `MAX_LEAD`; 0 if there is none. */
  readonly lead: number;
  /** −1 to 0, less if it is about another product, or another kind of thing, than the query names. */
  readonly product: number;
  /** Whether the query is in a language that no matching hit is in. */
  readonly foreign: boolean;
}

/** Probabilities, 0–1. */
export interface Confidence {
  /** A skill of the catalog fits. */
  readonly fit: number;
  /** The first hit is the right one. */
  readonly first: number;
}

/** Coefficients of the log-odds that a skill fits, in a catalog of the usual size. */
const FIT = {
  intercept: -2.37,
  card: 7.1,
  coverage: 2.8,
  match: 1.26,
  length: 0.81,
  specificity: -4.6,
  product: 3,
};
/**
 * Coefficient of the catalog's size. It is weaker than the fitted one, so that the share of answerable queries
 * marked as weak is the same for all sizes (`bench/confidence.ts`).
 */
const SIZE = -0.25;
const USUAL = 150;
/** The smallest catalog that was measured. */
const FEWEST = 40;
/**
 * Coefficients of the log-odds that the first hit is right where some skill fits, fitted on queries that agents wrote and on
 * people's, in catalogs of all sizes; `brief` on the written queries of `models/train`. `fit` is the log-odds of a fit in a
 * catalog of the usual size. No first hit is likelier right than some skill fits.
 */
const FIRST = { intercept: 1.25, fit: 0.8, lead: 7.5, size: -0.55, brief: -0.9 };
/** Distinct words of a query from which on its length says nothing of the first hit (`bench/TRIED.md`). */
const SENTENCE = 10;
/** A larger lead adds no information. */
const MAX_LEAD = 0.6;

/**
 * Highest probability of both for a query in a language that no matching hit is in. The other signals mislead there: they
 * come from names and loan words. One such request in twelve finds a right skill first (`bench/TRIED.md`).
 */
const FOREIGN_MOST = 0.05;

/**
 * Least share of a query's weight that a hit in such a language has, in a catalog of up to `SMALL` skills, and how much
 * more for each e-fold of it: a large catalog holds something that matches any query by chance (`bench/languages.ts`).
 */
const MATCHING = 0.1;
const SMALL = 400;
/** Among so many first hits. */
const FIRST_HITS = 5;

/**
 * The query's language if the catalog hardly has it, and none of the first hits is in it and has the query's words. Words,
 * not vectors: the model puts texts of one language near each other (`bench/TRIED.md`).
 */
export function foreignTo(
  { foreign, searched, ordinals, features }: Candidates,
  { order }: Ranked,
  reader: Reader,
): ForeignLanguage | null {
  if (foreign === null || foreign.share === 0) return foreign;
  const inLanguage = reader.accept([[LANGUAGE_FACET + foreign.language]]);
  const least = MATCHING * (1 + Math.log(Math.max(SMALL, searched) / SMALL));
  const isMatch = (at: number) => inLanguage[ordinals[at]!] === 1 && features.coverage[at]! >= least;
  return order.slice(0, FIRST_HITS).some(isMatch) ? null : foreign;
}

/**
 * Highest cosine that counts for a query in a language of few skills: the model puts texts of one language near each other,
 * whatever they are about. A lower bound marks more of the right skills as weak (`bench/TRIED.md`).
 */
const MINORITY_CARD = 0.64;

/** Null if there is no candidate. `areTwins` says which candidates count as one skill. */
export function confidenceSignalsOf(
  { features, card, bm25f, words, searched, isMinority }: Candidates,
  { order, scores }: Ranked,
  areTwins: (a: number, b: number) => boolean,
  foreign: boolean,
): ConfidenceSignals | null {
  const [best] = order;
  if (best === undefined) return null;
  const length = Math.log1p(words.terms.length);
  const next = order.find((at) => at !== best && !areTwins(best, at));
  return {
    card: isMinority ? Math.min(MINORITY_CARD, card[best]!) : card[best]!,
    coverage: features.coverage[best]!,
    match: words.mass > 0 ? bm25f[best]! / words.mass : 0,
    length,
    brief: Math.max(0, Math.log1p(SENTENCE) - length),
    specificity: specificity(words),
    size: Math.log(Math.max(FEWEST, searched) / USUAL),
    product: features.product[best]!,
    lead: next === undefined ? 0 : Math.min(MAX_LEAD, scores[best]! - scores[next]!),
    foreign,
  };
}

export function confidenceOf(signals: ConfidenceSignals): Confidence {
  const usual =
    FIT.intercept +
    FIT.card * signals.card +
    FIT.coverage * signals.coverage +
    FIT.match * signals.match +
    FIT.length * signals.length +
    FIT.specificity * signals.specificity +
    FIT.product * signals.product;
  const most = signals.foreign ? FOREIGN_MOST : 1;
  const fit = Math.min(most, logistic(usual + SIZE * signals.size));
  const first =
    FIRST.intercept +
    FIRST.fit * usual +
    FIRST.lead * signals.lead +
    FIRST.size * signals.size +
    FIRST.brief * signals.brief;
  return { fit, first: Math.min(fit, logistic(first)) };
}

const logistic = (odds: number) => 1 / (1 + Math.exp(-odds));

/** Mean of `wordWeight` over the query's words, weighted by their rarity; 1 for a query without words. */
function specificity({ terms, trust }: LexicalQuery): number {
  let rarity = 0;
  let weighted = 0;
  for (const { term, weight } of terms) {
    const learned = wordWeight(term);
    const rare = weight / learned ** trust;
    rarity += rare;
    weighted += rare * learned;
  }
  return rarity > 0 ? weighted / rarity : 1;
}

/** `fits`: a skill fits, more likely than not; `perhaps`: one may; `none`: the hits are only the nearest skills. */
export type Verdict = 'fits' | 'perhaps' | 'none';

/** From this fit on, 0–1, a skill fits. */
const FITS = 0.5;
/** Below it no skill seems to fit: about one in twenty of the answerable queries (`bench/confidence.ts`). */
const PERHAPS = 0.2;

const WORDS: Readonly<Record<Verdict, string>> = {
  fits: 'A skill fits',
  perhaps: 'Perhaps a skill fits',
  none: 'No skill seems to fit',
};

/** `fit`: the probability that some skill fits; null if there is no candidate. Judges the number that is shown. */
export function verdictOf(fit: number | null): Verdict {
  const shown = rounded(fit ?? 0);
  if (shown >= FITS) return 'fits';
  return shown >= PERHAPS ? 'perhaps' : 'none';
}

/** `Perhaps a skill fits (0.42)`. */
export function verdictWords(fit: number | null): string {
  const words = WORDS[verdictOf(fit)];
  return fit === null ? words : `${words} (${rounded(fit)})`;
}

/** To two decimals. */
const rounded = (fit: number) => Math.round(fit * 100) / 100;
