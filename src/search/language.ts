/**
 * The language of a query, compared with those of the catalog: by which stems its words are looked up, and whether the
 * catalog has skills for it at all.
 */

import { languageOf } from '../../index/lexical/language/detect.ts';
import { loadStemmers } from '../../index/lexical/language/stemmers.ts';
import type { Speakers } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { LANGUAGE_FACET } from './passages/languages.ts';

/** One language of a catalog. */
export interface LanguageShare {
  /** ISO 639-1 code. */
  readonly language: string;
  /** Share of the skills whose language is known, 0–1. */
  readonly share: number;
}

/** A query in a language that few or no skills are in. */
export interface ForeignLanguage extends LanguageShare {
  /** The languages that the catalog mostly has, most skills first: write the query in one of them. */
  readonly catalog: readonly LanguageShare[];
}

interface QueryLanguage {
  /** The language of its words; null if that is not known. */
  readonly spoken: string | null;
  /** Language whose stems the query's words have in addition to the English terms; null for English alone. */
  readonly stems: string | null;
  /** Null if many skills are in the query's language, or that language is not known. */
  readonly foreign: ForeignLanguage | null;
}

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
  const isForeign =
    spoken !== null &&
    commonest !== undefined &&
    share < MOSTLY &&
    !multilingual &&
    spoken !== commonest.language;
  return {
    spoken,
    stems,
    foreign: isForeign ? { language: spoken, share, catalog: mainLanguages(shares) } : null,
  };
}

/** The skills in the query's language; null if that is not known, no skill is in it, or most are. */
export function speakersOf(language: string | null, reader: Reader): Speakers | null {
  const share = languagesOf(reader).find((each) => each.language === language)?.share ?? 0;
  if (share === 0 || share > MAJORITY) return null;
  const marked = reader.accept([[LANGUAGE_FACET + language]]);
  return { marked, count: reader.documentsIn(marked) };
}
