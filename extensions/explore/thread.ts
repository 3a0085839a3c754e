/** Performs work in a thread of its own, which opens the index itself and ends with its work: that frees its memory. */

import { Worker } from 'node:worker_threads';
import type { VectorMode } from '../../index/vectors/choose.ts';
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

/** Sent as `workerData`. */
export interface ThreadTask extends ThreadSetting {
  readonly kind: Kind;
  readonly visible: readonly string[] | null;
}

/** The thread's messages: any number of `progress`, then `done` or `failure`. */
export type ThreadReply =
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'done'; readonly result: Results[Kind] }
  | { readonly kind: 'failure'; readonly message: string };

/** `entry` is the built `explore-worker.js`. */
export const performInThread =
  (entry: URL, setting: ThreadSetting): Perform =>
  <Name extends Kind>(
    kind: Name,
    _: unknown,
    visible: readonly string[] | null,
    onProgress: (share: number) => void,
  ) =>
    new Promise<Results[Name]>((resolve, reject) => {
      const task: ThreadTask = { ...setting, kind, visible };
      const worker = new Worker(entry, { workerData: task });
      // Work must not keep the process alive.
      worker.unref();
      worker.on('message', (reply: ThreadReply) => {
        if (reply.kind === 'progress') onProgress(reply.share);
        // The thread answers the task that it was given.
        else if (reply.kind === 'done') resolve(reply.result as Results[Name]);
        else reject(new Error(reply.message));
      });
      worker.on('error', reject);
      worker.on('exit', (code) => reject(new Error(`The thread exited with code ${code}.`)));
    });
