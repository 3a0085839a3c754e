/** Promise: what is found is the best of both retrievals among the documents that may be found, and of nothing else. */

import { expect, it } from 'vitest';
import { findCandidates } from '../../index/candidates.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { indexOf } from '../src/search/small-index.ts';
import { toyDocument, toyEmbedder } from './toy.ts';

const embedder = toyEmbedder();
async function find(reader: Reader, text: string, depth: number, facets: string[][] = [], byMeaning = true) {
  const vector = byMeaning ? await embedder.embedQuery(text) : null;
  const query = { text, language: null, vector };
  const { ordinals } = await findCandidates(reader, query, depth, reader.accept(facets));
  expect([...ordinals]).toEqual([...new Set(ordinals)].toSorted((a, b) => a - b));
  return Array.from(ordinals, (ordinal) => reader.key(ordinal));
}

const nine = await indexOf(
  Array.from({ length: 9 }, (_, at) =>
    toyDocument(`d${at}`, at < 3 ? 'kiln kiln' : `wheel of clay ${'beta '.repeat(at)}`, [], {
      facets: [`source:s${at % 2}`],
    }),
  ),
);

it('takes the best of each retrieval, and no more', async () => {
  const both = await find(nine, 'kiln', 2);
  expect(both.length).toBeGreaterThanOrEqual(2);
  expect(both.length).toBeLessThanOrEqual(4);
  expect(await find(nine, 'kiln', 9, [], false)).toEqual(['d0', 'd1', 'd2']);
  expect(await find(nine, 'nothing of the kind', 2, [], false)).toEqual([]);
});

it('finds only what the filter lets pass', async () => {
  expect(await find(nine, 'kiln', 9, [['source:s1']])).toEqual(['d1', 'd3', 'd5', 'd7']);
  expect(await find(nine, 'kiln', 9, [['source:none']])).toEqual([]);
});
