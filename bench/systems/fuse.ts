/** Fuse.js: fuzzy matching of the whole query against each text. */

import Fuse from 'fuse.js';
import type { BenchmarkSystem } from './system.ts';

export const fuse: BenchmarkSystem = {
  name: 'fuse',
  about: 'The npm package Fuse.js on name (weight 2) and description, anywhere in the text.',
  // A query takes 20 s on 25,000 skills. Up to this size, 900 queries take four minutes. Its token search is not faster
  // and ranks worse on sentences.
  maxSkills: 300,
  build: async ({ skills }) => {
    const index = new Fuse(skills, {
      keys: [
        { name: 'name', weight: 2 },
        { name: 'description', weight: 1 },
      ],
      includeScore: true,
      ignoreLocation: true,
    });
    return {
      // Fuse's score is a distance: 0 is a perfect match.
      search: async (query, k) =>
        index.search(query, { limit: k }).map(({ item, score = 1 }) => ({ id: item.id, score: 1 - score })),
    };
  },
};
