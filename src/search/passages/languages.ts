/** The languages of a skill: of its description, of each of its files, and of the whole. */

import { languageOf } from '../../../index/lexical/language/detect.ts';
import type { IndexDocument } from '../../../index/passage.ts';

/** Prefix of the facet with a skill's language, an ISO 639-1 code. Skills with too little text have none. */
export const LANGUAGE_FACET = 'language:';

/** Characters of a file that are judged: more would only confirm it. */
const SAMPLE = 500;

/**
 * The document with the languages of its texts, for their analysis, and a facet with its own: that of its description, or
 * of its skill file where the description is too short to judge.
 */
export async function withLanguages(document: IndexDocument): Promise<IndexDocument> {
  const { name, description, passages } = document;
  const samples = new Map<string, string>();
  for (const { kind, path, text } of passages) {
    const sample = samples.get(path) ?? '';
    if (kind !== 'card' && sample.length < SAMPLE) samples.set(path, `${sample}${text}\n`);
  }
  const languages = new Map<string, string | null>();
  for (const [path, sample] of samples) languages.set(path, await languageOf(sample.slice(0, SAMPLE)));
  const ofFile = languages.get(passages[0]!.path) ?? null;
  const own = (await languageOf(`${description.slice(0, SAMPLE)}\n${name}`)) ?? ofFile;
  return {
    ...document,
    facets: own === null ? document.facets : [...document.facets, LANGUAGE_FACET + own],
    ...inLanguage(own),
    passages: passages.map((passage) => {
      const language = passage.kind === 'card' ? own : (languages.get(passage.path) ?? own);
      return { ...passage, ...inLanguage(language) };
    }),
  };
}

/** English is the default of the index, and by far the commonest: it is not stored with every passage. */
const inLanguage = (language: string | null) => (language === null || language === 'en' ? {} : { language });
