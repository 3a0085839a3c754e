/** Opens what the settings say about learning. Its code is loaded here alone, and only where it is wanted. */

import { join } from 'node:path';
import type { Embedder } from '../../index/embedder.ts';
import type { Settings } from '../../src/app/settings.ts';
import { patternsOf } from '../../src/gateway/policy/patterns.ts';
import type { Learning } from '../../src/search/learned.ts';

type LearningSettings = Pick<Settings, 'indexFolder'> & Partial<Pick<Settings, 'config'>>;

/** Undefined where learning is off. */
export async function learningOf(
  settings: LearningSettings,
  embedder: Embedder | null,
  log: (message: string) => void,
): Promise<Learning | undefined> {
  const { enabled, exclude, minPrincipals } = settings.config?.learn ?? { enabled: false as const };
  if (!enabled) return undefined;
  const { openLearning } = await import('./open.ts');
  const excluded = patternsOf(exclude);
  const isExcluded = (who: string) => excluded([who]) !== undefined;
  return openLearning({ ...fileOf(settings, log), embedder, minPrincipals, isExcluded });
}

/** Forgets what a principal taught, by name, or with null everything, whether learning is on or not. Returns numbers of uses. */
export async function forgetLearned(
  settings: LearningSettings,
  who: string | null,
  log: (message: string) => void,
): Promise<{ readonly forgotten: number; readonly left: number }> {
  const { forget } = await import('./open.ts');
  return forget(fileOf(settings, log), who);
}

const fileOf = ({ indexFolder }: LearningSettings, log: (message: string) => void) => ({
  folder: join(indexFolder, 'learned'),
  now: Date.now,
  log,
});
