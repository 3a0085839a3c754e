import { describe, expect, it } from 'vitest';
import type { Reader } from '../../../index/reader/reader.ts';
import { languageOfQuery, languagesOf, mainLanguages } from '../../../src/search/language.ts';

/** A catalog with this many skills of each language, in code-unit order. */
function spoken(counts: Readonly<Record<string, number>>) {
  const reader = {
    facetCounts: () => Object.entries(counts).map(([value, documents]) => ({ value, documents })),
  } as unknown as Reader;
  return { reader };
}
const GERMAN_QUERY = 'Wie kann ich die Datenbank auf dem Server sichern?';

describe('languagesOf', () => {
  it('gives shares of the skills of a known language, most skills first, equal ones by code', () => {
    const { reader } = spoken({ de: 2, en: 5, es: 2, ja: 1 });
    expect(languagesOf(reader)).toEqual([
      { language: 'en', share: 0.5 },
      { language: 'de', share: 0.2 },
      { language: 'es', share: 0.2 },
      { language: 'ja', share: 0.1 },
    ]);
    expect(languagesOf(spoken({}).reader)).toEqual([]);
  });
});

describe('mainLanguages', () => {
  const main = (...shares: number[]) =>
    mainLanguages(shares.map((share, at) => ({ language: String(at), share }))).map(({ share }) => share);

  it('are those of one skill in five, or the commonest', () => {
    expect(main(0.5, 0.3, 0.2)).toEqual([0.5, 0.3, 0.2]);
    expect(main(0.61, 0.2, 0.19)).toEqual([0.61, 0.2]);
    expect(main(0.15, 0.14)).toEqual([0.15]);
    expect(main()).toEqual([]);
  });
});

describe('languageOfQuery', () => {
  const judge = (text: string, counts: Readonly<Record<string, number>>, multilingual = false) =>
    languageOfQuery(text, spoken(counts).reader, multilingual);

  it('is foreign in a catalog that has fewer than one skill in five for it', async () => {
    const { stems, foreign } = await judge(GERMAN_QUERY, { de: 19, en: 80, es: 1 });
    expect(stems).toBe('de');
    expect(foreign).toEqual({ language: 'de', share: 0.19, catalog: [{ language: 'en', share: 0.8 }] });
    expect(await judge(GERMAN_QUERY, { de: 2, en: 8 })).toMatchObject({ spoken: 'de', foreign: null });
    expect(
      await judge(GERMAN_QUERY, { de: 3, en: 2, es: 2, fr: 2, it: 2, ja: 2, zh: 2, ko: 2 }),
    ).toMatchObject({
      foreign: null,
    });
  });

  it('is not foreign where the model knows all languages, or no language is known', async () => {
    expect(await judge(GERMAN_QUERY, { en: 9 }, true)).toEqual({ spoken: 'de', stems: 'de', foreign: null });
    expect(await judge(GERMAN_QUERY, {})).toEqual({ spoken: 'de', stems: 'de', foreign: null });
    expect(await judge('PDF', { ja: 9 })).toMatchObject({ foreign: null });
  });

  it.each([
    ['of more than half of the skills', { es: 6, en: 5 }, 'es'],
    ['not of half of them', { es: 5, en: 5 }, null],
    ['nor of fewer', { es: 4, en: 3, ja: 3 }, null],
    ['nor of none', {}, null],
  ])('takes a short query to be in the language %s', async (_, counts, stems) => {
    expect(await judge('PDF', counts)).toEqual({ spoken: null, stems, foreign: null });
  });
});
