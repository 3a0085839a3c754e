/** `bm25-card`: the baseline of `skillgate eval`, BM25 over name and description. */

import { bm25 } from '../../extensions/lab/bm25.ts';
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
