/** `bm25-card`: BM25 over name and description, the method of most skill searches. */

import { bm25 } from '../evaluation/bm25.ts';
import { type BenchmarkSystem, cardOf } from './system.ts';

export const bm25Card: BenchmarkSystem = {
  name: 'bm25-card',
  about: 'BM25 (k1 1.2, b 0.75, Porter stems, English stop words) on name and description as one text.',
  build: async ({ skills }) =>
    bm25(
      skills.map(({ id }) => id),
      skills.map(cardOf),
    ),
};
