/**
 * Confidence of an answer: the probability that the catalog holds a skill that fits, and that the first hit is the
 * right one. Two logistic functions of a few signals, fitted and cross-validated by `bench/confidence.ts`. What is said of
 * the fit is in `verdict.ts`.
 */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import { wordWeight } from '../../index/lexical/query/word-weights.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Candidates } from './candidates.ts';
import { isNamed, isProduct } from './cards.ts';
import { hasUnknownCode } from './codes.ts';
import { excludedShare } from './exclusions.ts';
import type { ForeignLanguage } from './language.ts';
import { LANGUAGE_FACET } from './passages/languages.ts';
import type { Ranked } from './rank.ts';
import type { Ranking } from './ranking.ts';
import { isSmallTalk, namesNothing } from './small-talk.ts';
import { verdictOf } from './verdict.ts';

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
  /** How far the query is about something that the description sends elsewhere, 0–1; see `exclusions.ts`. */
  readonly excluded: number;
  /** Share of the query's weight of the heaviest name, as of a product, that the skill lacks, 0–1; half of it where only its text has it. */
  readonly otherName: number;
  /** 0–1: how little the query says of what it is about; see `vagueness`. */
  readonly vague: number;
  /** Share of the query's codes that one of the first hits has, of those that few skills have, 0–2; see `codes.ts`. */
  readonly codes: number;
  /** 1 if the query has a code that no skill has; else 0. */
  readonly unknownCode: number;
  /** 1 for a greeting, or a question about the one who is asked; else 0. */
  readonly smallTalk: number;
}

/** Probabilities, 0–1. */
export interface Confidence {
  /** A skill of the catalog fits. */
  readonly fit: number;
  /** The first hit is the right one. */
  readonly first: number;
}

/** Coefficients of the log-odds that a skill fits, in a catalog of the usual size. */
const INTERCEPT = -2.3;
const FIT: readonly (readonly [signal: keyof ConfidenceSignals, coefficient: number])[] = [
  ['card', 7.1],
  ['coverage', 2.8],
  ['match', 1.26],
  ['length', 0.81],
  ['specificity', -4.6],
  ['product', 3],
  ['excluded', -10],
  ['otherName', -8],
  ['vague', -8],
  ['codes', 1.4],
  ['unknownCode', -0.6],
  ['smallTalk', -5.5],
];
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
 * Range of the fit of a query in a language that no matching hit is in: only its translation shows whether a skill fits. The
 * other signals come from names and loan words: one such request in twelve finds a right skill first (`bench/TRIED.md`).
 */
const UNTRANSLATED = { least: 0.25, most: 0.4, first: 0.05 };

/**
 * Least share of a query's weight that a hit in such a language has, in a catalog of up to `SMALL` skills, and how much
 * more for each e-fold of it: a large catalog holds something that matches any query by chance (`bench/languages.ts`).
 */
const MATCHING = 0.1;
const SMALL = 400;
/** Among so many first hits. */
const FIRST_HITS = 5;

/**
 * Whether one of the first hits is in that language and has the query's words. Words, not vectors: the model puts texts of
 * one language near each other (`bench/TRIED.md`).
 */
function hasHitIn(
  { language, share }: ForeignLanguage,
  { searched, ordinals, features }: Candidates,
  { order }: Ranked,
  reader: Reader,
): boolean {
  if (share === 0) return false;
  const inLanguage = reader.accept([[LANGUAGE_FACET + language]]);
  const least = MATCHING * (1 + Math.log(Math.max(SMALL, searched) / SMALL));
  const isMatch = (at: number) => inLanguage[ordinals[at]!] === 1 && features.coverage[at]! >= least;
  return order.slice(0, FIRST_HITS).some(isMatch);
}

/**
 * Highest cosine that counts for a query in a language of few skills: the model puts texts of one language near each other,
 * whatever they are about. A lower bound marks more of the right skills as weak (`bench/TRIED.md`).
 */
const MINORITY_CARD = 0.64;

/**
 * Highest cosine that counts. The model puts Chinese, Japanese and Korean texts near each other by their characters: there
 * the words that the skill has say how far it can be trusted.
 */
function cardMost({ isMinority, isUnspaced }: Candidates, coverage: number): number {
  if (isMinority) return MINORITY_CARD;
  return isUnspaced ? MINORITY_CARD + (1 - MINORITY_CARD) * coverage : 1;
}

/** Reads one candidate. */
export interface CandidateReader {
  readonly entryOf: (at: number) => { readonly name: string; readonly description: string };
  /** For each term of the query in order: bit f is set if field f of `FIELDS` has it. */
  readonly fieldsOf: (at: number) => Uint8Array;
}

/** Null if there is no candidate. `areTwins` says which candidates count as one skill, the reader reads one. */
export function confidenceSignalsOf(
  candidates: Candidates,
  { order, scores }: Ranked,
  areTwins: (a: number, b: number) => boolean,
  { entryOf, fieldsOf }: CandidateReader,
): ConfidenceSignals | null {
  const { features, card, bm25f, words, codes, searched } = candidates;
  const [best] = order;
  if (best === undefined) return null;
  const coverage = features.coverage[best]!;
  const length = Math.log1p(words.terms.length);
  const entry = entryOf(best);
  const fields = fieldsOf(best);
  const next = order.find((at) => at !== best && !areTwins(best, at));
  return {
    card: Math.min(cardMost(candidates, coverage), card[best]!),
    coverage,
    match: words.mass > 0 ? bm25f[best]! / words.mass : 0,
    length,
    brief: Math.max(0, Math.log1p(SENTENCE) - length),
    specificity: specificity(words),
    size: Math.log(Math.max(FEWEST, searched) / USUAL),
    product: features.product[best]!,
    lead: next === undefined ? 0 : Math.min(MAX_LEAD, scores[best]! - scores[next]!),
    excluded: excludedShare(words, entry),
    otherName: otherName(words, fields),
    vague: vagueness(words, fields),
    codes: Math.max(...order.slice(0, FIRST_HITS).map((at) => codes[at]!)),
    unknownCode: hasUnknownCode(words) ? 1 : 0,
    smallTalk: isSmallTalk(words) ? 1 : 0,
  };
}

/** A name that only the text says counts half: it may be one of many there. */
const IN_BODY = 0.5;
/** Bits of `termFields`. */
const NAME = 0b0001;
const CARD = 0b0011;

/** What the best hit lacks; `fields` are those that have each term. */
function otherName(words: LexicalQuery, fields: Uint8Array): number {
  const { terms, mass } = words;
  const lacking = (field: number) => (field === 0 ? 1 : (field & CARD) === 0 ? IN_BODY : 0);
  const shares = terms.map(({ weight }, at) => {
    const share = (lacking(fields[at]!) * weight) / mass;
    return share > 0 && isNamed(words, at) ? share : 0;
  });
  return Math.max(0, ...shares);
}

/** 1 for words that fit any request; less for one other word, the rarer it is; 0 for a product, or the skill's name. */
function vagueness({ terms, rarest }: LexicalQuery, fields: Uint8Array): number {
  if (terms.length > 0 && terms.every((_, at) => (fields[at]! & NAME) > 0)) return 0;
  const [only, second] = terms.filter(({ term }) => !namesNothing(term));
  if (only === undefined) return 1;
  if (second !== undefined || isProduct(only.term)) return 0;
  return (terms.length === 1 ? 1 : IN_PHRASE) * Math.max(0, 1 - only.weight / (SPECIFIC * rarest));
}

/** A word of this share of the weight of the rarest says what a query is about. */
const SPECIFIC = 0.6;
/** With a verb a word says more. */
const IN_PHRASE = 0.3;

export function confidenceOf(signals: ConfidenceSignals): Confidence {
  const usual = FIT.reduce((sum, [signal, coefficient]) => sum + coefficient * signals[signal], INTERCEPT);
  const fit = logistic(usual + SIZE * signals.size);
  const first =
    FIRST.intercept +
    FIRST.fit * usual +
    FIRST.lead * signals.lead +
    FIRST.size * signals.size +
    FIRST.brief * signals.brief;
  return { fit, first: Math.min(fit, logistic(first)) };
}

/** The fit of an answer, `first`: whether the first hit is right, and the query's language if few skills are in it and none fits. */
interface Judgement {
  /** Both null if there is no candidate. */
  readonly first: number | null;
  readonly fit: number | null;
  readonly foreign: ForeignLanguage | null;
}

/** Judges the ranking without what was loaded before: that does not make a skill fit. */
export function judgeFit(
  candidates: Candidates,
  { unlearned, similarity }: Pick<Ranking, 'unlearned' | 'similarity'>,
  reader: Reader,
): Judgement {
  const { foreign } = candidates;
  const one = readerOf(candidates, reader);
  const signals = confidenceSignalsOf(candidates, unlearned, similarity.areTwins, one);
  if (signals === null) return { first: null, fit: null, foreign };
  const { first, fit } = confidenceOf(signals);
  if (foreign === null) return { first, fit, foreign };
  const { least, most } = UNTRANSLATED;
  if (!hasHitIn(foreign, candidates, unlearned, reader))
    return { first: Math.min(first, UNTRANSLATED.first), fit: least + (most - least) * fit, foreign };
  // A few skills in the language say nothing of the others: "none" would be a guess.
  return { first, fit: Math.max(least, fit), foreign: verdictOf(fit) === 'fits' ? null : foreign };
}

export const readerOf = ({ ordinals, words }: Candidates, reader: Reader): CandidateReader => ({
  entryOf: (at) => reader.payload(ordinals[at]!) as CatalogEntry,
  fieldsOf: (at) => reader.lexical.termFields(words, ordinals[at]!),
});

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
