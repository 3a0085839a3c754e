import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LONGEST_RUN, runAt } from '../../../../index/lexical/analysis/run.ts';
import { loadStemmers, stemmerOf } from '../../../../index/lexical/language/stemmers.ts';

const runOf = (text: string) => runAt(text, 0, text.length);
const word = fc.string({ unit: fc.constantFrom(...'abcdexyz'), minLength: 2, maxLength: 6 });

describe('runAt', () => {
  it('gives one compound for every way of joining the same words', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 3, maxLength: 4 }), (words) => {
        const pascal = words.map((part) => part[0]!.toUpperCase() + part.slice(1)).join('');
        const spellings = [words.join('-'), words.join('_'), words.join('.'), pascal, words.join('')];
        const wholes = spellings.map((spelling) => runOf(spelling).terms[0]);
        expect(new Set(wholes).size).toBe(1);
      }),
    );
  });

  it('distinguishes numbers that differ only in the position of the dot', () => {
    expect(runOf('1.23').terms).toEqual(['1.23', '1']);
    expect(runOf('12.3').terms).toEqual(['12.3', '12']);
    expect(runOf('v2.0').terms).toEqual(['2.0', '2']);
    expect(runOf('2024-01-15').terms).toEqual(['2024.01.15', '2024']);
  });

  it('counts words, but not compounds or stop words', () => {
    expect(runOf('docker-compose').words).toBe(2);
    expect(runOf('getUserName').words).toBe(2);
    expect(runOf('v1.2.3').words).toBe(1);
    expect(runOf('the').words).toBe(0);
    expect(runOf('and/or')).toMatchObject({ terms: ['andor'], from: [0], to: [6], words: 0 });
  });

  it('leaves out the part after an apostrophe unless it is a name', () => {
    expect(runOf("server's").terms).toEqual(['server']);
    expect(runOf('we’re').terms).toEqual([]);
    expect(runOf("O'Reilly").terms).toEqual(['oreilli', 'o', 'reilli']);
  });

  it('indexes single letters only as a compound', () => {
    expect(runOf('U.S').terms).toEqual(['us']);
  });

  it('ignores a UUID, but not a model name of the same length', () => {
    expect(runOf('550e8400-e29b-41d4-a716-446655440000').terms).toEqual([]);
    expect(runOf('gpt-4o-mini-2024-07-18').terms).toEqual(
      expect.arrayContaining(['gpt', '4o', 'mini', '2024']),
    );
  });

  it('returns the same result from the cache', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'aB1-_./'), minLength: 1, maxLength: LONGEST_RUN }),
        (text) => {
          const first = structuredClone(runOf(text));
          expect(runAt(`..${text}..`, 2, 2 + text.length)).toEqual(first);
        },
      ),
    );
  });
});

describe('the terms of a run', () => {
  it.each([
    // Each with the part of the run that it stands for.
    ['read/write', 2, 'readwrit=read/write read=read write=write'],
    ['read/write/run', 3, 'read=read write=write run=run'],
    ['docker-compose/up', 3, 'dockercompos=docker-compose docker=docker compos=compose up=up'],
    ['up/docker-compose', 3, 'up=up dockercompos=docker-compose docker=docker compos=compose'],
    ['/tmp/x', 2, 'tmp=tmp x=x'],
    [
      'docs/getUserName',
      3,
      'docsgetusernam=docs/getUserName doc=docs getusernam=getUserName get=get name=Name',
    ],
    ['the-data', 1, 'thedata=the-data data=data'],
    ['1/2', 2, '1.2=1/2 1=1 2=2'],
    ['V1.2', 1, '1.2=V1.2 1=V1'],
    ['v1', 1, 'v1=v1'],
    ['x1.2', 2, 'x1.2=x1.2 x1=x1 2=2'],
    ['1.2x', 2, '1.2x=1.2x 1=1 2x=2x'],
    ['9.0-0', 1, '9.0.0=9.0-0 9=9'],
    ['1.2.3-beta', 4, '1.2.3beta=1.2.3-beta 1=1 2=2 3=3 beta=beta'],
    ['ab1-2cd', 2, 'ab1.2cd=ab1-2cd ab1=ab1 2cd=2cd'],
    ['ab1-cd', 2, 'ab1cd=ab1-cd ab1=ab1 cd=cd'],
    ['ab-1cd', 2, 'ab1cd=ab-1cd ab=ab 1cd=1cd'],
    ['e.g', 1, ''],
    ['a-bc', 1, 'abc=a-bc bc=bc'],
    ['ASP.NET', 2, 'aspnet=ASP.NET asp=ASP dotnet=NET'],
    ['ASP.Net', 2, 'aspnet=ASP.Net asp=ASP net=Net'],
    ['x-NET', 2, 'xnet=x-NET x=x net=NET'],
    ["it'll", 0, ''],
    ["O'Rei", 2, "orei=O'Rei o=O rei=Rei"],
    ["user's/admin's", 1, "useradmin=user's/admin admin=admin"],
    ['deadbeef-cafe-0123', 0, ''],
    ['deadbeef-cafe', 2, 'deadbeefcaf=deadbeef-cafe deadbeef=deadbeef cafe=cafe'],
  ])('%s: %i words', (text, words, expected) => {
    const run = runOf(text);
    const found = run.terms.map((term, at) => `${term}=${text.slice(run.from[at], run.to[at])}`);
    expect(found.join(' ')).toBe(expected);
    expect(run.words).toBe(words);
  });

  it('have no compound that is longer than a term', () => {
    const [x, y] = ['x'.repeat(20), 'z'.repeat(20)];
    expect(runOf(`${x}-${y}`).terms).toEqual([x + y, x, y]);
    expect(runOf(`${x}-${y}z`).terms).toEqual([x, `${y}z`]);
  });

  it('hold identifiers verbatim, in their order', () => {
    expect(runOf('get_user/setUser').identifiers).toEqual(['get_user', 'setUser']);
    expect(runOf('getUser_name').identifiers).toEqual(['getUser_name']);
    expect(runOf('docker-compose').identifiers).toEqual([]);
  });
});

describe('a run in another language', () => {
  beforeAll(() => loadStemmers(['de', 'es']));
  const inGerman = (text: string) => runAt(text, 0, text.length, stemmerOf('de'));

  it.each([
    ['Bilder', ['bilder', 'bild']],
    ['Häuser/Bilder', ['hauserbild', 'hauser', 'haus', 'bilder', 'bild']],
    ['Bücher-Liste', ['bucherlist', 'bucher', 'buch', 'list']],
    // Neither function words, nor short words, nor what is no word, nor a stem that is there already.
    ['eine', ['ein']],
    ['Ab', ['ab']],
    ['abc1', ['abc1', 'abc']],
    ['Tisch', ['tisch']],
  ])('%s has the stems of its words, too', (text, expected) => {
    const run = inGerman(text);
    expect(run.terms).toEqual(expected);
    // They stand at the same place, and do not make the text longer.
    const english = runOf(text);
    expect(run.words).toBe(english.words);
    const places = new Set(english.terms.map((_, at) => `${english.from[at]}-${english.to[at]}`));
    run.terms.forEach((_, at) => {
      expect(places).toContain(`${run.from[at]}-${run.to[at]}`);
    });
    expect(runOf(text).terms).toEqual(english.terms);
  });

  it('is kept apart from the same run in other languages', () => {
    const [german, spanish] = [stemmerOf('de'), stemmerOf('es')];
    const read = (stemmer: typeof german) => runAt('Bilder', 0, 6, stemmer).terms;
    const expected = [read(german), read(spanish), read(null)];
    expect(new Set(expected.map(String)).size).toBeGreaterThan(1);
    expect([read(german), read(spanish), read(null)]).toEqual(expected);
  });

  it('keeps its identifiers', () => {
    expect(inGerman('get_user').identifiers).toEqual(['get_user']);
  });
});
