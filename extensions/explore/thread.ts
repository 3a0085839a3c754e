/** Performs work in a thread of its own, which opens the index itself and ends with its work: that frees its memory. */

import type { VectorMode } from '../../index/vectors/choose.ts';
import { ask, startThread, type Work } from '../../src/catalog/threads.ts';
import type { Kind, Perform, Results } from './work.ts';

/** What the thread needs to open the same index. */
export interface ThreadSetting {
  readonly indexFolder: string;
  /** Undefined for the shipped model. */
  readonly embedder: string | undefined;
  readonly modelsFolder: string;
  readonly cacheFolder: string;
  readonly vectors: VectorMode;
}

interface ThreadTask extends ThreadSetting {
  readonly kind: Kind;
  readonly visible: readonly string[] | null;
}

/** Reports the share that is done. */
export type ThreadWork = Work<ThreadTask, number, Results[Kind]>;

/** `entry` is the built `explore-worker.js`. */
export const performInThread =
  (entry: URL, setting: ThreadSetting): Perform =>
  async <Name extends Kind>(
    kind: Name,
    _: unknown,
    visible: readonly string[] | null,
    onProgress: (share: number) => void,
  ) => {
    const thread = startThread(entry);
    try {
      return await ask<ThreadTask, number, Results[Name]>(thread, { ...setting, kind, visible }, onProgress);
    } finally {
      void thread.terminate();
    }
  };
