/** The product as its users have it, and reciprocal rank fusion of the same two lists in its place. */

import { asSystem } from '../../src/evaluation/public.ts';
import type { Arm } from './arm.ts';
import { bm25f } from './bm25f.ts';
import { denseExact } from './dense.ts';

export const hybrid: Arm = {
  name: 'hybrid',
  about: 'skillgate itself: words and vectors, ranked and with evidence, through its gateway.',
  build: async ({ gateway }) => asSystem((request) => gateway.search(request)),
};

/** Constant and method of Cormack, Clarke and Büttcher, SIGIR 2009. */
const RRF_K = 60;
/** Ranks of each list that take part. */
const RRF_DEPTH = 100;

export const rrf: Arm = {
  name: 'rrf-60',
  about: 'Reciprocal rank fusion (k = 60) of bm25f and dense-exact, 100 ranks each.',
  build: async (corpus) => {
    const parts = await Promise.all([bm25f, denseExact].map((arm) => arm.build(corpus)));
    return {
      search: async (query, k) => {
        const scores = new Map<string, number>();
        for (const part of parts) {
          const ranking = (await part?.search(query, RRF_DEPTH)) ?? [];
          ranking.forEach(({ id }, at) => {
            scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_K + at + 1));
          });
        }
        return [...scores]
          .map(([id, score]) => ({ id, score }))
          .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
          .slice(0, k);
      },
    };
  },
};
