/** Peers in memory: the npm packages MiniSearch and Fuse.js, and a plain scan of float vectors. */

import { type Peer, TOP } from './peer.ts';

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
