/** Peers in memory: the npm packages MiniSearch, Orama and Fuse.js, and a plain scan of float vectors. */

import { createRequire } from 'node:module';

import { type Card, type Peer, TOP } from './peer.ts';

const require = createRequire(new URL('../../peers/package.json', import.meta.url));

interface Orama {
  create(options: object): unknown;
  insertMultiple(db: unknown, rows: readonly object[]): unknown;
  search(db: unknown, query: object): { readonly hits: readonly { readonly document: Card }[] };
}

export const minisearch: Peer = {
  name: 'MiniSearch, cards',
  async build({ cards }) {
    const { default: MiniSearch } = await import('minisearch');
    const index = new MiniSearch({
      fields: ['name', 'description'],
      searchOptions: { boost: { name: 2 } },
    });
    index.addAll(cards);
    return ({ text }) =>
      index
        .search(text)
        .slice(0, TOP)
        .map(({ id }) => String(id));
  },
};

export const orama: Peer = {
  name: 'Orama, hybrid',
  async build({ cards, vectors, dimensions }) {
    const { create, insertMultiple, search } = require('@orama/orama') as Orama;
    const schema = { id: 'string', name: 'string', description: 'string', vector: `vector[${dimensions}]` };
    const db = create({ schema });
    const rows = cards.map((card, row) => ({
      ...card,
      vector: Array.from(vectors.subarray(row * dimensions, (row + 1) * dimensions)),
    }));
    await insertMultiple(db, rows);
    return async ({ text, vector }) => {
      const query = {
        mode: 'hybrid',
        term: text,
        vector: { value: vector, property: 'vector' },
        similarity: 0.3,
        boost: { name: 2 },
        limit: TOP,
      };
      return (await search(db, query)).hits.map(({ document }) => document.id);
    };
  },
};

export const fuse: Peer = {
  name: 'Fuse.js, cards',
  // A grown catalog of 1,000 has a few more skills: those that the benchmark edits.
  maxSkills: 1_100,
  async build({ cards }) {
    const { default: Fuse } = await import('fuse.js');
    const keys = [
      { name: 'name', weight: 2 },
      { name: 'description', weight: 1 },
    ];
    const index = new Fuse(cards, { keys, ignoreLocation: true });
    return ({ text }) => index.search(text, { limit: TOP }).map(({ item }) => item.id);
  },
};

export const floatScan: Peer = {
  name: 'float32 scan, one vector a skill',
  async build({ cards, vectors, dimensions }) {
    return ({ vector }) => {
      const scores = new Float32Array(cards.length);
      for (let row = 0; row < cards.length; row++) {
        let sum = 0;
        for (let i = 0; i < dimensions; i++) sum += vectors[row * dimensions + i]! * vector[i]!;
        scores[row] = sum;
      }
      const order = Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]!);
      return order.slice(0, TOP).map((row) => cards[row]!.id);
    };
  },
};
