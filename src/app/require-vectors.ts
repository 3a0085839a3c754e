/** Whether the vectors that a setting asks for can be had, before anything is opened. */

import { AppError } from './app-error.ts';
import type { Settings } from './settings.ts';

/** Rejects with `SETTING_INVALID` where graphs were asked for and none can be used on this machine. */
export async function requireVectors({ vectors }: Pick<Settings, 'vectors'>): Promise<void> {
  if (vectors !== 'hnsw') return;
  const { whyNoHnsw } = await import('../../index/vectors/hnsw.ts');
  const reason = await whyNoHnsw();
  if (reason !== null)
    throw new AppError(
      'SETTING_INVALID',
      `--vectors hnsw cannot be used: ${reason} Run npm install hnswlib-node, which needs a C++ compiler, or leave the setting out.`,
    );
}
