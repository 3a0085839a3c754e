/** Words of a language that few documents are in: they weigh by their rarity among those. */

import { beforeAll, describe, expect, it } from 'vitest';
import { loadStemmers } from '../../../../index/lexical/language/stemmers.ts';
import { idf } from '../../../../index/lexical/postings/bm25f.ts';
import { RestrictedDocuments, RestrictedSearch } from '../../../../index/lexical/query/restricted.ts';
import { LexicalSearch } from '../../../../index/lexical/query/search.ts';
import { built, written } from '../documents.ts';

/** Four of 40 documents are in the language: all say alpha, one says beta. They lie in two segments. */
const DOCUMENTS = Array.from({ length: 40 }, (_, at) =>
  at % 10 === 0 ? written(at === 0 ? 'alpha beta' : 'alpha') : written('gamma'),
);
const SEGMENTS = [built(DOCUMENTS.slice(0, 25)), built(DOCUMENTS.slice(25))];
const speakers = { marked: Uint8Array.from(DOCUMENTS, (_, at) => (at % 10 === 0 ? 1 : 0)), count: 4 };

beforeAll(() => loadStemmers(['de']));

describe.each([
  ['a search of all documents', new LexicalSearch(SEGMENTS, 40)],
  [
    'a restricted search',
    new RestrictedSearch(
      SEGMENTS,
      new RestrictedDocuments(
        SEGMENTS,
        Uint32Array.from({ length: 40 }, (_, at) => at),
      ),
    ),
  ],
])('in %s', (_, search) => {
  const weightsOf = (...asked: Parameters<typeof search.prepare>) =>
    Object.fromEntries(search.prepare(...asked).terms.map(({ term, weight }) => [term, weight]));

  it('a word that all of them have says far less than one that one has', () => {
    const among = weightsOf('alpha beta', 'de', speakers);
    const all = weightsOf('alpha beta', 'de');
    expect(all['beta']! / all['alpha']!).toBeLessThan(2);
    expect(among['beta']! / among['alpha']!).toBeGreaterThan(2);
    // The others count as ten documents with the same share.
    expect(among['beta']).toBeCloseTo(idf(14, 1 + 10 / 40), 5);
  });

  it('counts the frequency in all documents as before', () => {
    const { terms } = search.prepare('alpha beta', 'de', speakers);
    expect(terms.map(({ frequency }) => frequency)).toEqual([4, 1]);
  });
});
