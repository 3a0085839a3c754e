/**
 * The language of a query, compared with those of the catalog: by which stems its words are looked up, and whether the
 * catalog has skills for it at all.
 */

import { languageOf } from '../../index/lexical/language/detect.ts';
import { loadStemmers } from '../../index/lexical/language/stemmers.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { Candidates } from './candidates.ts';
import { LANGUAGE_FACET } from './passages/languages.ts';
import type { Ranked } from './rank.ts';

/** One language of a catalog. */
export interface LanguageShare {
  /** ISO 639-1 code. */
  readonly language: string;
  /** Share of the skills whose language is known, 0–1. */
  readonly share: number;
}

/** A query in a language that hardly any skill is in. */
export interface ForeignLanguage extends LanguageShare {
  /** The languages that the catalog mostly has, most skills first: write the query in one of them. */
  readonly catalog: readonly LanguageShare[];
}

interface QueryLanguage {
  /** Language whose stems the query's words have besides the English terms; null for English alone. */
  readonly stems: string | null;
  /** Null if the catalog has skills in the query's language, or that language is not known. */
  readonly foreign: ForeignLanguage | null;
}

/**
 * A catalog hardly has a language that fewer of its skills have: what a query asks for is seldom among these few, and they
 * come first mostly because they are in its language. One of fifty in a small catalog was meant.
 */
const HARDLY = 0.02;
/**
 * Least share of a query's weight that a hit in such a language has, in a catalog of up to `SMALL` skills, and how much
 * more for each e-fold of it: a large catalog holds something that matches any query by chance (`bench/languages.ts`).
 */
const MATCHING = 0.1;
const SMALL = 400;
/** Among so many first hits. */
const FIRST_HITS = 5;
/** A catalog mostly has the languages of at least this share of its skills. */
const MOSTLY = 0.2;
/** A short query is taken to be in the language of more skills than this, if they have one. */
const MAJORITY = 0.5;

const sharesByReader = new WeakMap<Reader, readonly LanguageShare[]>();

/** Languages of the catalog's skills, most skills first, then by code as they are counted; empty where none is known. */
export function languagesOf(reader: Reader): readonly LanguageShare[] {
  const known = sharesByReader.get(reader);
  if (known !== undefined) return known;
  const counts = reader.facetCounts(LANGUAGE_FACET);
  const total = counts.reduce((sum, { documents }) => sum + documents, 0);
  const shares = counts
    .map(({ value, documents }) => ({ language: value, share: documents / total }))
    .sort((a, b) => b.share - a.share);
  sharesByReader.set(reader, shares);
  return shares;
}

/** The languages in which to write a query: those that many skills have, or the commonest. */
export const mainLanguages = (shares: readonly LanguageShare[]): readonly LanguageShare[] =>
  shares.filter(({ share }, at) => at === 0 || share >= MOSTLY);

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
 * Judges a query and loads the stemmer that it needs. `multilingual`: whether vectors find skills in other languages than
 * the query's, so that none is foreign.
 */
export async function languageOfQuery(
  text: string,
  reader: Reader,
  multilingual = false,
): Promise<QueryLanguage> {
  const shares = languagesOf(reader);
  const [commonest] = shares;
  const spoken = await languageOf(text);
  const stems = spoken ?? (commonest !== undefined && commonest.share > MAJORITY ? commonest.language : null);
  if (stems !== null) await loadStemmers([stems]);
  const share = shares.find(({ language }) => language === spoken)?.share ?? 0;
  const isForeign = spoken !== null && commonest !== undefined && share < HARDLY && !multilingual;
  return {
    stems,
    foreign: isForeign ? { language: spoken, share, catalog: mainLanguages(shares) } : null,
  };
}
