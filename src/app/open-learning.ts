/** Opens what the settings say about learning: the data file next to the index, the signal of the ranking, the collector. */

import { join } from 'node:path';
import type { Embedder } from '#index';
import { type Gateway, withLearning } from '../gateway/public.ts';
import type { LearnedStore } from '../learning/public.ts';
import type { Learning, Library } from '../library/public.ts';
import { type Principal, patternsOf } from '../policy/public.ts';
import { milliseconds } from './config/units.ts';
import type { Settings } from './settings.ts';

/** The folder of the data file, in the index folder. */
const learnedFolderOf = ({ indexFolder }: Pick<Settings, 'indexFolder'>) => join(indexFolder, 'learned');

/** The data file of the settings, whether learning is on or not. Only those who learn load its code. */
export async function openLearned(
  { indexFolder, config }: Pick<Settings, 'indexFolder' | 'config'>,
  log: (message: string) => void,
): Promise<LearnedStore> {
  const { LearnedStore } = await import('../learning/public.ts');
  return new LearnedStore({
    folder: learnedFolderOf({ indexFolder }),
    halfLife: milliseconds(config.learn.halfLife) / 1_000,
    now: Date.now,
    log,
  });
}

/** Undefined where learning is off. */
export async function openLearning(
  { indexFolder, config }: Pick<Settings, 'indexFolder'> & Partial<Pick<Settings, 'config'>>,
  embedder: Embedder,
  log: (message: string) => void,
): Promise<Learning | undefined> {
  if (config?.learn.enabled !== true) return undefined;
  const store = await openLearned({ indexFolder, config }, log);
  const { LearnedSignal } = await import('../learning/public.ts');
  return {
    store,
    signal: new LearnedSignal({ store, embedder, minPrincipals: config.learn.minPrincipals }),
  };
}

/** Makes the gateway of a principal report its searches and loads, unless learning is off or the principal excluded. */
export async function collectingFor(
  { learning }: Pick<Library, 'learning'>,
  { config }: Pick<Settings, 'config'>,
): Promise<(gateway: Gateway, principal: Principal) => Gateway> {
  if (learning === undefined) return (gateway) => gateway;
  const { Collector } = await import('../learning/public.ts');
  const collector = new Collector(learning.store, Date.now);
  const excluded = patternsOf(config.learn.exclude);
  return (gateway, { id }) => (excluded([id]) === undefined ? withLearning(gateway, id, collector) : gateway);
}
