/** Search that learns from what agents load. */

import { join } from 'node:path';
import type { Extension, LearningSettings } from '../../src/app/extension.ts';
import { openLearning } from './open.ts';
import type { StoreOptions } from './store.ts';

export const extension: Extension = {
  async learning(settings, embedder, log) {
    const { minPrincipals = 1 } = settings.config?.learn ?? {};
    return openLearning({ ...storeOf(settings, log), embedder, minPrincipals });
  },
};

/** Where it is kept, next to the index. */
export const storeOf = ({ indexFolder }: LearningSettings, log: (message: string) => void): StoreOptions => ({
  folder: join(indexFolder, 'learned'),
  now: Date.now,
  log,
});
