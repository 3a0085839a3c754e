import { describe, expect, it } from 'vitest';
import { OWN_KIND } from '../../../../index/lexical/analysis/own-kind.ts';
import { idf } from '../../../../index/lexical/postings/bm25f.ts';
import { prepareQuery, wordsOf } from '../../../../index/lexical/query/query.ts';
import { TermStatistics } from '../../../../index/lexical/query/statistics.ts';
import { wordWeight } from '../../../../index/lexical/query/word-weights.ts';
import { built, written } from '../documents.ts';

const statistics = new TermStatistics(
  [built([written('alpha beta'), written('alpha')]), built([written('gamma alpha')])],
  3,
);

describe('prepareQuery', () => {
  it('uses the learned weights as far as they hold for the catalog', () => {
    const weightOf = (trust: number) => prepareQuery('nobody', statistics, { trust }).terms[0]!.weight;
    const learned = wordWeight('nobodi');
    expect(weightOf(1)).toBeCloseTo(weightOf(0) * learned, 6);
    expect(weightOf(0.5)).toBeCloseTo(weightOf(0) * Math.sqrt(learned), 6);
  });

  it('lists each term once, in order, with all the words that gave it', () => {
    const { terms } = prepareQuery('Deploys to beta: deployed, DEPLOYS', statistics);
    expect(terms.map(({ term, words }) => [term, words])).toEqual([
      ['deploi', ['Deploys', 'deployed', 'DEPLOYS']],
      ['beta', ['beta']],
    ]);
    expect(terms[0]).toMatchObject({ from: 0, to: 7 });
  });

  it('counts documents over all segments and computes idf from the living', () => {
    const { terms, mass } = prepareQuery('alpha gamma unheard', statistics);
    expect(terms.map(({ frequency }) => frequency)).toEqual([3, 1, 0]);
    const expected = [3, 1, 0].map((frequency, at) => idf(3, frequency) * wordWeight(terms[at]!.term));
    expect(terms.map((term) => term.weight)).toEqual(expected);
    expect(mass).toBeCloseTo(
      expected.reduce((sum, weight) => sum + weight, 0),
      10,
    );
  });

  it('gives a name and its words a lower weight, because they are one clue', () => {
    const { terms } = prepareQuery('alpha-beta gamma', statistics);
    const weights = new Map(
      terms.map(({ term, weight, frequency }) => [term, weight / idf(3, frequency) / wordWeight(term)]),
    );
    expect(weights.get('gamma')).toBeCloseTo(1, 10);
    for (const term of ['alphabeta', 'alpha', 'beta']) expect(weights.get(term)).toBeCloseTo(0.6, 10);
  });

  it('applies learned word weights', () => {
    const { terms, mass } = prepareQuery('nobody github', statistics);
    const [nobody, github] = terms;
    expect(nobody!.weight).toBeCloseTo(idf(3, 0) * wordWeight(nobody!.term), 10);
    expect(nobody!.weight).toBeLessThan(github!.weight);
    expect(mass).toBeCloseTo(nobody!.weight + github!.weight, 10);
  });

  it('ends with what all documents are, found in names, the more the less specific the other words are', () => {
    const named = built([
      written('writing-skills', 'Writes team pages'),
      ...Array.from({ length: 9 }, () => written('team-pages', 'Writes a skill of the team')),
    ]);
    const weightsOf = (query: string) =>
      Object.fromEntries(
        prepareQuery(query, new TermStatistics([named], 10)).terms.map(
          ({ term, weight }) => [term, weight] as const,
        ),
      );
    const { terms } = prepareQuery('write a skill for the team', new TermStatistics([named], 10));
    expect(terms.map(({ term }) => term)).toEqual(['write', 'team', OWN_KIND]);
    expect(terms[2]).toMatchObject({ frequency: 1, words: ['skill'] });
    expect(terms[2]!.weight).toBeGreaterThan(terms[0]!.weight + terms[1]!.weight);
    // A word that no document has is specific: the query is about that.
    expect(weightsOf('write a skill for kubernetes')).not.toHaveProperty(OWN_KIND);
  });

  it('lists the known terms of each segment by ascending number', () => {
    const query = prepareQuery('gamma unheard alpha beta', statistics);
    const known = query.segments.map(({ terms }) =>
      [...terms].sort().map((place) => query.terms[place]!.term),
    );
    expect(known).toEqual([
      ['alpha', 'beta'],
      ['gamma', 'alpha'],
    ]);
    for (const { numbers } of query.segments) expect(numbers).toEqual(numbers.slice().sort());
  });

  it('has no terms for a query without words', () => {
    for (const text of ['', ' \n ', 'the and of', '\u0000\u0007', '???'])
      expect(prepareQuery(text, statistics)).toMatchObject({ terms: [], mass: 0 });
  });
});

describe('wordsOf', () => {
  const query = prepareQuery('use docker-compose and compose files', new TermStatistics([], 0));
  const places = (...terms: string[]) =>
    terms.map((term) => query.terms.findIndex((other) => other.term === term));

  it('returns the words as written, in order', () => {
    expect(wordsOf(query, places('docker', 'compos', 'file'))).toEqual(['docker', 'compose', 'files']);
  });

  it('leaves out the parts of a name that is found as a whole', () => {
    expect(wordsOf(query, places('dockercompos', 'docker', 'compos', 'file'))).toEqual([
      'docker-compose',
      'files',
    ]);
  });
});
