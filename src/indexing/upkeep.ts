/**
 * Bringing a large index up to date beside a server: looking at the folders, planning and committing in a thread of
 * their own, so that no search waits for them. The thread ends with its work, and its memory with it.
 */

import { Worker } from 'node:worker_threads';
import type { VectorMode } from '#index';
import type { LocalSourceOptions } from '../catalog/sources/local.ts';
import { type Failure, restored, type WorkerSetting } from './crew.ts';
import type { IndexReport, Progress } from './report.ts';

/** What the thread needs to see the same skills and write the same index. Sent as `workerData`. */
export interface UpkeepSetting extends WorkerSetting {
  readonly sources: readonly LocalSourceOptions[];
  readonly vectors: VectorMode;
  /** Whether every id is qualified by its source. */
  readonly qualifyIds: boolean;
  /** Threads that may build at the same time. */
  readonly threads: number;
}

/** What the thread answers; `progress` may come any number of times before the other two. */
export type UpkeepReply =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly report: IndexReport | null }
  | { readonly kind: 'failure'; readonly failure: Failure };

export interface Upkeep {
  /** Looks at the folders and indexes what changed: null where nothing had. Rejects as `runIndexing` does. */
  run(onProgress: (progress: Progress) => void): Promise<IndexReport | null>;
  /** Gives up a run under way, which lets go of its lock first. */
  close(): Promise<void>;
}

/**
 * A run that was told to stop may take this long to do so, ms, before its thread is ended: clients kill a server that
 * has not ended two seconds after they told it to. What it leaves is what a killed process leaves.
 */
const STOP_MS = 1_000;

/** `entry` is the built `upkeep-worker.js`. */
export function upkeepThread(entry: URL, setting: UpkeepSetting): Upkeep {
  let running: { readonly worker: Worker; readonly ended: Promise<unknown> } | null = null;
  let closed = false;
  return {
    run(onProgress) {
      if (closed) return Promise.reject(new Error('The index is no longer looked after.'));
      const worker = new Worker(entry, { workerData: setting });
      // Work that nobody waits for must not keep the process alive.
      worker.unref();
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      const report = reportOf(worker, onProgress).finally(() => {
        running = null;
      });
      running = { worker, ended };
      return report;
    },
    async close() {
      closed = true;
      if (running === null) return;
      const { worker, ended } = running;
      worker.postMessage('stop');
      const timer = setTimeout(() => void worker.terminate(), STOP_MS);
      worker.ref();
      await ended;
      clearTimeout(timer);
    },
  };
}

function reportOf(worker: Worker, onProgress: (progress: Progress) => void): Promise<IndexReport | null> {
  return new Promise((resolve, reject) => {
    worker.on('message', (reply: UpkeepReply) => {
      if (reply.kind === 'progress') onProgress(reply.progress);
      else if (reply.kind === 'done') resolve(reply.report);
      else reject(restored(reply.failure));
    });
    worker.on('error', reject);
    worker.on('exit', (code) =>
      reject(new Error(`The thread that looks after the index ended with ${code}.`)),
    );
  });
}
