/** A principal's gateway that reports searches and loads to learning. Answers are the gateway's own. */

import type { Learning } from '../search/learned.ts';
import type { Gateway } from './gateway.ts';

/** `who` names the principal. Without learning the gateway as it is. */
export function withLearning(gateway: Gateway, who: string, learning: Learning | undefined): Gateway {
  if (learning === undefined) return gateway;
  return {
    ...gateway,
    async search(request) {
      const answer = await gateway.search(request);
      const { query, words, hits, also = [] } = answer;
      learning.searched(who, { query, words, hits: [...hits, ...also].map(({ entry }) => entry.id) });
      return answer;
    },
    async load(request) {
      const loaded = await gateway.load(request);
      learning.loaded(who, loaded.entry.id);
      return loaded;
    },
  };
}
