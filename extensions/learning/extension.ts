/** Search that learns from what agents load. */

import { join } from 'node:path';
import type { Embedder, Extension, Learning, LearningSettings } from '../../src/app/extension-api.ts';
import { Collector } from './collector.ts';
import { Signal } from './signal.ts';
import { Store, type StoreOptions } from './store.ts';

interface LearningOptions extends StoreOptions {
  /** Null where words alone are searched. */
  readonly embedder: Embedder | null;
  /** Principals, other than the user of this machine, who must have taught the same. From 1. */
  readonly minPrincipals: number;
}

export function openLearning({ embedder, minPrincipals, ...options }: LearningOptions): Learning {
  const store = new Store(options);
  const collector = new Collector((event) => store.add(event), options.now);
  const signal = new Signal({ store, embedder, minPrincipals });
  return {
    of: (query, reader, ordinals) => signal.of(query, reader, ordinals),
    searched: (who, search) => collector.searched(who, search),
    loaded: (who, skill) => collector.loaded(who, skill),
    flush: () => store.flush(),
  };
}

/** Forgets what a principal taught, by name, or with null everything; on disk, too. Returns how many uses, and how many are left. */
export async function forget(
  options: StoreOptions,
  who: string | null,
): Promise<{ readonly forgotten: number; readonly left: number }> {
  const store = new Store(options);
  const forgotten = await store.forget(who);
  return { forgotten, left: store.history.size };
}

export const extension: Extension = {
  async learning(settings, embedder, log) {
    const { minPrincipals = 1 } = settings.config?.learn ?? {};
    return openLearning({ ...storeOptions(settings, log), embedder, minPrincipals });
  },
};

/** Where it is kept, next to the index. */
export const storeOptions = (
  { indexFolder }: LearningSettings,
  log: (message: string) => void,
): StoreOptions => ({
  folder: join(indexFolder, 'learned'),
  now: Date.now,
  log,
});
