/**
 * A short summary of the catalog: counts, languages and themes. An agent reads it to decide whether to search.
 */

import type { Reader } from '../../index/reader/reader.ts';
import { languagesOf, mainLanguages } from '../search/language.ts';
import { type Pinned, pinnedIn } from './pinned.ts';
import type { Theme } from './themes.ts';

/** What the catalog holds, for instructions and `stats`. */
export interface CatalogSummary {
  readonly skills: number;
  readonly references: number;
  readonly sources: readonly { readonly name: string; readonly skills: number }[];
  /** The subjects of the skills, the largest first. */
  readonly themes: readonly Theme[];
  /** Skills that the themes are of; absent where they are of all. */
  readonly sampled?: number | undefined;
  /**
   * The languages in which to write a query, ISO 639-1 codes, with the share of the skills in each in whole percent, so that
   * a few changed skills change nothing. Most skills first; empty where no language is known.
   */
  readonly languages: readonly { readonly language: string; readonly percent: number }[];
  /** The index generation that was summarised. */
  readonly generation: number;
  /** Absent where nothing is pinned. */
  readonly pinned?: Pinned | undefined;
}

export async function summarise(reader: Reader, pins?: readonly string[]): Promise<CatalogSummary> {
  reader.readVectors();
  const ordinals = reader.ordinalsByKey();
  return {
    skills: reader.documents,
    references: ordinals.filter((ordinal) => reader.passages.referenceCount(ordinal) > 0).length,
    sources: reader
      .facetCounts('source:')
      .map(({ value, documents }) => ({ name: value, skills: documents })),
    languages: mainLanguages(languagesOf(reader)).map(({ language, share }) => ({
      language,
      percent: Math.round(100 * share),
    })),
    generation: reader.manifest.generation,
    pinned: pinnedIn(reader, pins),
    // Last: all else is of the reader before the first turn of others. Most processes read a stored summary, and need no map.
    ...(await import('./themes.ts').then(({ themesIn }) => themesIn(reader))),
  };
}
