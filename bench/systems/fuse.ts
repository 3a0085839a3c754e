/** Fuse.js, the npm package itself: fuzzy matching of the whole query against each text. */

import Fuse from 'fuse.js';
import type { Arm } from './arm.ts';

export const fuse: Arm = {
  name: 'fuse',
  about: 'The npm package Fuse.js on name (weight 2) and description, anywhere in the text.',
  // 20 seconds a query on 25,000 skills, with its token search as without; that also ranks worse on sentences.
  // Up to here a dataset of 900 queries takes it four minutes, so that the curve over catalog sizes stays one of minutes.
  limit: 300,
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
