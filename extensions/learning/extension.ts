/** Search that learns from what agents load. */

import { join } from 'node:path';
import type { Extension, LearningSettings } from '../../src/app/extension.ts';
import { patternsOf } from '../../src/gateway/policy/patterns.ts';
import { openLearning } from './open.ts';
import type { StoreOptions } from './store.ts';

export const extension: Extension = {
  async learning(settings, embedder, log) {
    const { exclude = [], minPrincipals = 1 } = settings.config?.learn ?? {};
    const excluded = patternsOf(exclude);
    return openLearning({
      ...storeOf(settings, log),
      embedder,
      minPrincipals,
      isExcluded: (who) => excluded([who]) !== undefined,
    });
  },
};

/** Where it is kept, next to the index. */
export const storeOf = ({ indexFolder }: LearningSettings, log: (message: string) => void): StoreOptions => ({
  folder: join(indexFolder, 'learned'),
  now: Date.now,
  log,
});
