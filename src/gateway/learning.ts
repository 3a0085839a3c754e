/** A principal's gateway that reports searches and loads to the collector of learning. Answers are the gateway's own. */

import type { Collector } from '../learning/public.ts';
import type { Gateway } from './gateway.ts';

/** `who` names the principal. */
export function withLearning(gateway: Gateway, who: string, collector: Collector): Gateway {
  return {
    ...gateway,
    async search(request) {
      const answer = await gateway.search(request);
      const { query, words, hits, also = [] } = answer;
      collector.searched(who, { query, words, hits: [...hits, ...also].map(({ entry }) => entry.id) });
      return answer;
    },
    async load(request) {
      const loaded = await gateway.load(request);
      collector.loaded(who, loaded.entry);
      return loaded;
    },
    judge: async (verdict) => collector.judged(who, verdict),
  };
}
