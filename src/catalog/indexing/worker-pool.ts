/**
 * Where indexing tasks run: in worker threads where the index is on disk and the model is cheap to open, else in this
 * thread. A thread gets one task at a time, so the number of threads bounds the memory.
 *
 * Our own pool rather than tinypool: tinypool starts threads from a file of its own package, which a bundled program does
 * not have, and `threads.ts` would remain on top of it.
 */

import type { Worker } from 'node:worker_threads';
import type { Directory } from '../../../index/directory/directory.ts';
import type { Embedder } from '../../../index/embedder.ts';
import { openEmbedder } from '../../search/embedding/open.ts';
import { indexDirectory } from '../index-directory.ts';
import { ask, startThread, type Work } from '../threads.ts';
import type { Advance, Task, TaskResults } from './tasks.ts';

export interface WorkerPool {
  /** Number of tasks that run at the same time. */
  readonly size: number;
  perform<K extends Task['kind']>(
    task: Extract<Task, { kind: K }>,
    advance: Advance,
  ): Promise<TaskResults[K]>;
  /** Fails active and later tasks. Files of an unfinished task are in no manifest, and so are ignored. */
  close(): Promise<void>;
}

/** What a worker needs to open the same index and model. */
export interface WorkerSetting {
  readonly indexFolder: string;
  readonly embedder: string | undefined;
  readonly modelsFolder: string;
}

/** Runs tasks in this thread: for small changes, models that use all cores themselves, and indexes in memory. */
export function inProcessWorker(directory: Directory, embedder: Embedder): WorkerPool {
  return {
    size: 1,
    async perform(task, advance) {
      // Loaded on first use: a process that only searches does not need the skill parsers.
      const { performTask } = await import('./tasks.ts');
      // The kind decides the result's type; TypeScript cannot follow that through the switch.
      return (await performTask(task, directory, () => embedder, advance)) as never;
    },
    async close() {},
  };
}

/** Opens what `WorkerSetting` names. The model is opened by the first task that needs it. */
export function openSetting({ indexFolder, embedder: model, modelsFolder }: WorkerSetting): {
  readonly directory: Directory;
  readonly embedder: () => Promise<Embedder>;
} {
  let opened: Promise<Embedder> | null = null;
  return {
    directory: indexDirectory(indexFolder),
    embedder() {
      opened ??= openEmbedder(model, { modelsFolder });
      return opened;
    },
  };
}

/** The work of a pool's threads; they report how much is done since the last event. */
export type PoolWork = Work<
  { readonly setting: WorkerSetting; readonly task: Task },
  number,
  TaskResults[Task['kind']]
>;

/** Idle time after which a thread ends, ms: it holds about 200 MB and starts again in a tenth of a second. */
const IDLE_MS = 1_000;

/** Threads that run one program. A thread starts with a task and ends when it has been idle for a while. */
export class ThreadPool implements WorkerPool {
  readonly size: number;
  readonly #entry: URL;
  readonly #setting: WorkerSetting;
  readonly #idleMs: number;
  readonly #all = new Set<Worker>();
  /** Idle threads, each with the timer that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  /** `entry` is the built `worker.js`. */
  constructor(entry: URL, size: number, setting: WorkerSetting, idleMs = IDLE_MS) {
    this.#entry = entry;
    this.size = size;
    this.#setting = setting;
    this.#idleMs = idleMs;
  }

  async perform<K extends Task['kind']>(
    task: Extract<Task, { kind: K }>,
    advance: Advance,
  ): Promise<TaskResults[K]> {
    const worker = await this.#acquire();
    // The kind decides the result's type.
    const result = ask<Parameters<PoolWork>[0], number, TaskResults[K]>(
      worker,
      { setting: this.#setting, task },
      advance,
    );
    worker.ref();
    try {
      return await result;
    } finally {
      this.#release(worker);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  async #acquire(): Promise<Worker> {
    for (;;) {
      if (this.#closed) throw new Error('The indexing threads have been closed.');
      const worker = [...this.#idle.keys()].at(-1) ?? (this.#all.size < this.size ? this.#start() : null);
      if (worker !== null) {
        clearTimeout(this.#idle.get(worker));
        this.#idle.delete(worker);
        return worker;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #start(): Worker {
    const worker = startThread(this.#entry);
    const remove = () => {
      clearTimeout(this.#idle.get(worker));
      this.#idle.delete(worker);
      this.#all.delete(worker);
      // A waiting task can now start another thread.
      this.#waiting.shift()?.();
    };
    worker.on('error', remove).on('exit', remove);
    this.#all.add(worker);
    return worker;
  }

  #release(worker: Worker): void {
    if (!this.#all.has(worker)) return;
    worker.unref();
    const end = () => {
      this.#idle.delete(worker);
      this.#all.delete(worker);
      void worker.terminate();
    };
    this.#idle.set(worker, setTimeout(end, this.#idleMs).unref());
    this.#waiting.shift()?.();
  }
}

/** Up to this many folders or documents, starting a thread takes longer than the task. */
const SMALL = 64;
/** Bytes of files in a small task: hostile ones keep a thread busy for a second a megabyte. */
const SMALL_BYTES = 131_072;

const countBytes = (folders: Extract<Task, { kind: 'build' }>['folders']) =>
  folders.reduce((sum, { folder }) => sum + folder.files.reduce((size, file) => size + file.size, 0), 0);

/** Small tasks run in `local`, large ones in `threads`. With `buildInThreads` false, all build tasks run in `local`. */
export function mixedPool(local: WorkerPool, threads: WorkerPool, buildInThreads: boolean): WorkerPool {
  const isSmall = (task: Task) => {
    if (task.kind === 'build')
      return !buildInThreads || (task.folders.length <= SMALL && countBytes(task.folders) <= SMALL_BYTES);
    return task.kind === 'merge' && task.segments.reduce((sum, { documents }) => sum + documents, 0) <= SMALL;
  };
  return {
    size: threads.size,
    perform: (task, advance) => (isSmall(task) ? local : threads).perform(task, advance),
    async close() {
      await Promise.all([local.close(), threads.close()]);
    },
  };
}
