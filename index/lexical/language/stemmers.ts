/**
 * Stemmers of languages other than English (Snowball's algorithms), each loaded when a text or a query first needs it.
 * `analysis/run.ts` adds their stems to the terms of a word.
 */

import { fold } from '../analysis/stem.ts';

export interface Stemmer {
  readonly language: string;
  /** The folded stem of a word of letters. */
  stem(word: string): string;
}

type StemmerModule = Promise<{ stemmer(word: string): string }>;

/** By ISO 639-1 code. English has its own stemmer (`analysis/stem.ts`). */
const MODULES: Readonly<Record<string, () => StemmerModule>> = {
  ar: () => import('@orama/stemmers/arabic'),
  bg: () => import('@orama/stemmers/bulgarian'),
  de: () => import('@orama/stemmers/german'),
  el: () => import('@orama/stemmers/greek'),
  es: () => import('@orama/stemmers/spanish'),
  fi: () => import('@orama/stemmers/finnish'),
  fr: () => import('@orama/stemmers/french'),
  hi: () => import('@orama/stemmers/indian'),
  hu: () => import('@orama/stemmers/hungarian'),
  it: () => import('@orama/stemmers/italian'),
  nl: () => import('@orama/stemmers/dutch'),
  no: () => import('@orama/stemmers/norwegian'),
  pt: () => import('@orama/stemmers/portuguese'),
  ro: () => import('@orama/stemmers/romanian'),
  ru: () => import('@orama/stemmers/russian'),
  sr: () => import('@orama/stemmers/serbian'),
  sv: () => import('@orama/stemmers/swedish'),
  tr: () => import('@orama/stemmers/turkish'),
  uk: () => import('@orama/stemmers/ukrainian'),
};

const loaded = new Map<string, Stemmer>();

/** Loads the stemmers of these languages. Languages without one are ignored. */
export async function loadStemmers(languages: Iterable<string>): Promise<void> {
  for (const language of new Set(languages)) {
    if (loaded.has(language) || !Object.hasOwn(MODULES, language)) continue;
    const { stemmer } = await MODULES[language]!();
    loaded.set(language, { language, stem: (word) => fold(stemmer(word.toLowerCase().normalize('NFC'))) });
  }
}

/** Null for English, an unknown language, and one without a stemmer. Throws if `loadStemmers` was not called for it. */
export function stemmerOf(language: string | null | undefined): Stemmer | null {
  if (language === null || language === undefined || !Object.hasOwn(MODULES, language)) return null;
  const stemmer = loaded.get(language);
  if (stemmer === undefined) throw new Error(`Call loadStemmers before texts in ${language} are analysed.`);
  return stemmer;
}
