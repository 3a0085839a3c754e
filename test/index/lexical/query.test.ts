import { describe, expect, it } from 'vitest';
import { idf } from '../../../index/lexical/bm25f.ts';
import { prepareQuery, wordsOf } from '../../../index/lexical/query.ts';
import { built, written } from './documents.ts';

const segments = [built([written('alpha beta'), written('alpha')]), built([written('gamma alpha')])];

describe('prepareQuery', () => {
  it('takes each term once, in order, with all the words that gave it', () => {
    const { terms } = prepareQuery('Deploys to beta: deployed, DEPLOYS', segments, 3);
    expect(terms.map(({ term, words }) => [term, words])).toEqual([
      ['deploi', ['Deploys', 'deployed', 'DEPLOYS']],
      ['beta', ['beta']],
    ]);
    expect(terms[0]).toMatchObject({ from: 0, to: 7 });
  });

  it('counts documents over all segments and weighs by the living', () => {
    const { terms, mass } = prepareQuery('alpha gamma unheard', segments, 3);
    expect(terms.map(({ frequency }) => frequency)).toEqual([3, 1, 0]);
    expect(terms.map((term) => term.idf)).toEqual([idf(3, 3), idf(3, 1), idf(3, 0)]);
    expect(mass).toBeCloseTo(idf(3, 3) + idf(3, 1) + idf(3, 0), 10);
  });

  it('lists for each segment the terms it knows, by ascending number', () => {
    const query = prepareQuery('gamma unheard alpha beta', segments, 3);
    const known = query.segments.map(({ terms }) =>
      [...terms].sort().map((place) => query.terms[place]!.term),
    );
    expect(known).toEqual([
      ['alpha', 'beta'],
      ['gamma', 'alpha'],
    ]);
    for (const { numbers } of query.segments) expect(numbers).toEqual(numbers.slice().sort());
  });

  it('makes nothing of a query without words', () => {
    for (const text of ['', ' \n ', 'the and of', '\u0000\u0007', '???'])
      expect(prepareQuery(text, segments, 3)).toMatchObject({ terms: [], mass: 0 });
  });
});

describe('wordsOf', () => {
  const query = prepareQuery('use docker-compose and compose files', [], 0);
  const places = (...terms: string[]) =>
    terms.map((term) => query.terms.findIndex((other) => other.term === term));

  it('gives the words as they were written, in order', () => {
    expect(wordsOf(query, places('docker', 'compos', 'file'))).toEqual(['docker', 'compose', 'files']);
  });

  it('leaves out the parts of a name that was found as a whole', () => {
    expect(wordsOf(query, places('dockercompos', 'docker', 'compos', 'file'))).toEqual([
      'docker-compose',
      'files',
    ]);
  });
});
