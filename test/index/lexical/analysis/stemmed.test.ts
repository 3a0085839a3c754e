/** Words of other languages than English: their stems are added to the English terms. */

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { analyze, termsOf } from '../../../../index/lexical/analysis/analyzer.ts';
import { loadStemmers, stemmerOf } from '../../../../index/lexical/language/stemmers.ts';

const LANGUAGES = [
  'ar',
  'bg',
  'de',
  'el',
  'es',
  'fi',
  'fr',
  'hi',
  'hu',
  'it',
  'nl',
  'no',
  'pt',
  'ro',
  'ru',
].concat(['sr', 'sv', 'tr', 'uk']);

beforeAll(() => loadStemmers(LANGUAGES));

const termsIn = (language: string, text: string) =>
  analyze(text, stemmerOf(language)).map(({ term }) => term);

describe('analyze with a stemmer', () => {
  it.each([
    ['de', 'Datenbanken', 'Datenbank'],
    ['de', 'Bücher', 'Buch'],
    ['es', 'migraciones', 'migración'],
    ['fr', 'développeurs', 'développeur'],
    ['it', 'migrazioni', 'migrazione'],
    ['pt', 'bancos', 'banco'],
    ['sv', 'databaser', 'databasen'],
    ['ru', 'миграции', 'миграция'],
    ['tr', 'veritabanları', 'veritabanını'],
  ])('finds in %s that %s is a form of %s', (language, one, other) => {
    const known = new Set(termsIn(language, one));
    expect(termsIn(language, other).some((term) => known.has(term))).toBe(true);
  });

  it('keeps every English term, so that names and loan words are found in any language', () => {
    const text = 'Das Deployment mit docker-compose und getUserName';
    expect(termsIn('de', text)).toEqual(expect.arrayContaining(termsOf(text)));
    expect(termsIn('de', text).filter((term) => term === 'docker')).toHaveLength(1);
  });

  it('adds no stem of a function word', () => {
    expect(termsIn('de', 'einen')).toEqual(termsOf('einen'));
  });

  it('throws for a stemmer that was not loaded, and analyses a language without one as English', async () => {
    await loadStemmers(['zh', 'constructor']);
    expect(stemmerOf('zh')).toBeNull();
    expect(stemmerOf('constructor')).toBeNull();
    expect(stemmerOf(null)).toBeNull();
  });

  it('never throws, keeps the English terms in order, and stays in the text', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(..."aeißüñçãõ'’-_. Straßenдбиةا数据\ud83d\u0301") }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), anyText, (language, text) => {
        const tokens = analyze(text, stemmerOf(language));
        let next = 0;
        const english = termsOf(text);
        for (const { term, from, to } of tokens) {
          if (term === english[next]) next += 1;
          expect(term).not.toBe('');
          expect(text.slice(from, to)).not.toBe('');
        }
        expect(next).toBe(english.length);
      }),
    );
  });
});
