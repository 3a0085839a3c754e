/**
 * Updates a large index next to a server: checking folders, planning and committing run in their own thread, so that no
 * search waits for them. The thread ends with its run, which frees its memory.
 */

import { Worker } from 'node:worker_threads';
import type { VectorMode } from '../../../index/vectors/choose.ts';
import type { LocalSourceOptions } from '../../sources/local.ts';
import type { IndexReport, Progress } from './report.ts';
import type { RunOptions } from './run-options.ts';
import { errorOf, type Failure, type WorkerSetting } from './worker-pool.ts';

/** What the thread needs to read the same skills and write the same index. Sent as `workerData`. */
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

/** The thread's messages: any number of `progress`, `committed` where something had changed, then `done` or `failure`. */
export type BackgroundReply =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'committed' }
  | { readonly kind: 'done'; readonly report: IndexReport | null }
  | { readonly kind: 'failure'; readonly failure: Failure };

export interface BackgroundIndexing {
  /** Checks the folders and indexes what changed; null where nothing had. Rejects as `runIndexing` does. */
  run(options: Pick<RunOptions, 'onProgress' | 'onCommit'>): Promise<IndexReport | null>;
  /** Aborts the active run, which releases its lock first. */
  close(): Promise<void>;
}

/**
 * Time that a run has to stop, ms, before its thread is terminated: clients kill a server two seconds after they asked it
 * to end. A terminated run leaves the same files as a killed process.
 */
const STOP_MS = 1_000;

export class BackgroundThread implements BackgroundIndexing {
  readonly #entry: URL;
  readonly #setting: BackgroundSetting;
  #active: { readonly worker: Worker; readonly exited: Promise<unknown> } | null = null;
  #closed = false;

  /** `entry` is the built `background.js`. */
  constructor(entry: URL, setting: BackgroundSetting) {
    this.#entry = entry;
    this.#setting = setting;
  }

  async run(options: Pick<RunOptions, 'onProgress' | 'onCommit'>): Promise<IndexReport | null> {
    if (this.#closed) throw new Error('Background indexing has been closed.');
    const worker = new Worker(this.#entry, { workerData: this.#setting });
    // A run must not keep the process alive.
    worker.unref();
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#active = { worker, exited };
    try {
      return await reportOf(worker, options);
    } finally {
      this.#active = null;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#active === null) return;
    const { worker, exited } = this.#active;
    worker.postMessage('stop');
    const timer = setTimeout(() => void worker.terminate(), STOP_MS);
    worker.ref();
    await exited;
    clearTimeout(timer);
  }
}

function reportOf(
  worker: Worker,
  { onProgress, onCommit }: Pick<RunOptions, 'onProgress' | 'onCommit'>,
): Promise<IndexReport | null> {
  return new Promise((resolve, reject) => {
    worker.on('message', (reply: BackgroundReply) => {
      if (reply.kind === 'progress') onProgress?.(reply.progress);
      else if (reply.kind === 'committed') onCommit?.();
      else if (reply.kind === 'done') resolve(reply.report);
      else reject(errorOf(reply.failure));
    });
    worker.on('error', reject);
    worker.on('exit', (code) =>
      reject(new Error(`The background indexing thread exited with code ${code}.`)),
    );
  });
}
