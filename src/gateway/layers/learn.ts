/** Remembers which skills were loaded after which searches. */

import type { Learning } from '../../search/learned.ts';
import type { Layer } from './layer.ts';

export const learn =
  (learning: Learning): Layer =>
  (next, { principal: { id: who } }) => ({
    ...next,
    async search(request) {
      const answer = await next.search(request);
      const { query, words, hits, also = [] } = answer;
      learning.searched(who, { query, words, hits: [...hits, ...also].map(({ entry }) => entry.id) });
      return answer;
    },
    async load(request) {
      const loaded = await next.load(request);
      learning.loaded(who, loaded.entry.id);
      return loaded;
    },
  });
