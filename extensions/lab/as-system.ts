/** Adapts a search function to a system that can be evaluated. */

import type { System } from './evaluate.ts';

/** The parts of an answer that the evaluation reads. */
interface Answer {
  readonly hits: readonly { readonly entry: { readonly id: string }; readonly score: number }[];
  readonly fit: number | null;
  readonly confidence: number | null;
}

/** Lists twins separately, since a dataset may judge each of them. */
export function asSystem(
  ask: (request: {
    readonly query: string;
    readonly limit: number;
    readonly foldTwins: false;
  }) => Promise<Answer>,
): Required<Omit<System, 'name'>> {
  return {
    async search(query, limit) {
      const { hits } = await ask({ query, limit, foldTwins: false });
      return hits.map(({ entry, score }) => ({ id: entry.id, score }));
    },
    async confidence(query) {
      const { fit, confidence } = await ask({ query, limit: 1, foldTwins: false });
      return { fit: fit ?? 0, first: confidence ?? 0 };
    },
  };
}
