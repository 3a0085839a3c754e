import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_RUN, runAt } from '../../../../index/lexical/analysis/run.ts';

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
