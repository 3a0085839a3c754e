/**
 * Updates a large index next to a server: checking folders, planning and committing run in their own thread, so that no
 * search waits for them. The thread ends with its run, which frees its memory.
 */

import type { Worker } from 'node:worker_threads';
import type { VectorMode } from '../../../index/vectors/choose.ts';
import type { LocalSourceOptions } from '../../sources/local.ts';
import { ask, endThread, startThread, type Work } from '../threads.ts';
import type { BackgroundIndexing, RunOptions } from './options.ts';
import type { IndexReport, Progress } from './report.ts';
import type { WorkerSetting } from './worker-pool.ts';

/** What the thread needs to read the same skills and write the same index. */
export interface BackgroundSetting extends WorkerSetting {
  readonly sources: readonly LocalSourceOptions[];
  readonly vectors: VectorMode;
  readonly pins?: readonly string[] | undefined;
  /** Whether every id is qualified by its source. */
  readonly qualifyIds: boolean;
  /** Whether searches of this machine come first. Else a busy machine may keep a change waiting for minutes. */
  readonly lowPriority: boolean;
  /** Build tasks that may run at the same time. */
  readonly threads: number;
}

/** The thread's work; null where nothing had changed. */
export type BackgroundWork = Work<BackgroundSetting, Progress | 'committed', IndexReport | null>;

/**
 * Time that a run has to stop, ms, before its thread is terminated: clients kill a server two seconds after they asked it
 * to end. A terminated run leaves the same files as a killed process.
 */
const STOP_MS = 1_000;

export class BackgroundThread implements BackgroundIndexing {
  readonly #entry: URL;
  readonly #setting: BackgroundSetting;
  #active: Worker | null = null;
  #closed = false;

  /** `entry` is the built `background.js`. */
  constructor(entry: URL, setting: BackgroundSetting) {
    this.#entry = entry;
    this.#setting = setting;
  }

  async run({
    onProgress,
    onCommit,
  }: Pick<RunOptions, 'onProgress' | 'onCommit'>): Promise<IndexReport | null> {
    if (this.#closed) throw new Error('Background indexing has been closed.');
    const thread = startThread(this.#entry);
    this.#active = thread;
    try {
      return await ask<BackgroundSetting, Progress | 'committed', IndexReport | null>(
        thread,
        this.#setting,
        (event) => (event === 'committed' ? onCommit?.() : onProgress?.(event)),
      );
    } finally {
      this.#active = null;
      void thread.terminate();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#active !== null) await endThread(this.#active, STOP_MS);
  }
}
