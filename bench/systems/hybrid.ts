/** The product as users run it, and reciprocal rank fusion of its two candidate lists. */

import { asSystem } from '../evaluation/evaluate.ts';
import { bm25f } from './bm25f.ts';
import { denseExact } from './dense.ts';
import type { BenchmarkSystem } from './system.ts';

export const hybrid: BenchmarkSystem = {
  name: 'hybrid',
  about: 'skillgate: words and vectors, ranked, with evidence, through its gateway.',
  build: async ({ gateway }) => asSystem((request) => gateway.search(request)),
};

/** Constant and method of Cormack, Clarke and Büttcher, SIGIR 2009. */
const RRF_K = 60;
/** Ranks taken from each list. */
const RRF_DEPTH = 100;

export const rrf: BenchmarkSystem = {
  name: 'rrf-60',
  about: 'Reciprocal rank fusion (k = 60) of bm25f and dense-exact, 100 ranks each.',
  build: async (corpus) => {
    const parts = await Promise.all([bm25f, denseExact].map((system) => system.build(corpus)));
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
