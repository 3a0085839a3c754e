/**
 * Who does the tasks: worker threads where the index is on disk and the model is cheap to open, else this thread.
 * Tasks are handed out one at a time to whoever is free, so that memory stays bounded by the number of workers.
 */

import { Worker } from 'node:worker_threads';
import { type Directory, diskDirectory, type Embedder, IndexError, type IndexErrorCode } from '#index';
import { openEmbedder } from '../embed/open.ts';
import type { Advance, Task, TaskResults } from './tasks.ts';

/**
 * Does tasks. `close` waits for none of them: unfinished ones fail, and leave only files that nobody refers to.
 * Nothing is performed after it.
 */
export interface Crew {
  /** Tasks that make sense to have under way at the same time. */
  readonly size: number;
  perform<K extends Task['kind']>(
    task: Extract<Task, { kind: K }>,
    advance: Advance,
  ): Promise<TaskResults[K]>;
  close(): Promise<void>;
}

/** What a worker needs to open the same index and the same model. Sent as `workerData`. */
export interface WorkerSetting {
  readonly indexFolder: string;
  readonly embedder: string | undefined;
  readonly modelsFolder: string;
}

/** This thread alone: for small changes, models that use all cores by themselves, and indexes in memory. */
export function ownThread(directory: Directory, embedder: Embedder): Crew {
  return {
    size: 1,
    async perform(task, advance) {
      // Reading skills takes parsers that a process which only searches need not load.
      const { performTask } = await import('./tasks.ts');
      // The kind decides the result's type; TypeScript cannot follow that through the switch.
      return (await performTask(task, directory, () => embedder, advance)) as never;
    },
    async close() {},
  };
}

/** What `WorkerSetting` names; the model is opened by the first task that needs it. */
export function openSetting({ indexFolder, embedder: model, modelsFolder }: WorkerSetting): {
  readonly directory: Directory;
  readonly embedder: () => Promise<Embedder>;
} {
  let opened: Promise<Embedder> | null = null;
  return {
    directory: diskDirectory(indexFolder),
    embedder() {
      opened ??= openEmbedder(model, { modelsFolder });
      return opened;
    },
  };
}

/** What a worker answers; `advance` may come any number of times before the other two. */
export type WorkerReply =
  | { readonly kind: 'advance'; readonly done: number }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** An error on its way between threads: structured cloning drops what a subclass of Error adds. */
export interface Failure {
  readonly code: IndexErrorCode | null;
  readonly message: string;
}

/** An error as it is sent between threads. */
export function failureOf(error: unknown): Failure {
  const code = error instanceof IndexError ? error.code : null;
  return { code, message: error instanceof Error ? error.message : String(error) };
}

/** The same on the other side. */
export const restored = ({ code, message }: Failure) =>
  code === null ? new Error(message) : new IndexError(code, message);

/** A thread without work ends after this time, ms: it holds some 200 MB, and starts again in a tenth of a second. */
const IDLE_MS = 1_000;

/** `size` threads running `entry` (the built `worker.js`). They start with a task and end some time after their last. */
export function workerThreads(entry: URL, size: number, setting: WorkerSetting, idleMs = IDLE_MS): Crew {
  const all = new Set<Worker>();
  /** Those without a task, each with what will end it. */
  const free = new Map<Worker, NodeJS.Timeout>();
  const waiting: (() => void)[] = [];
  let closed = false;

  const start = (): Worker => {
    const worker = new Worker(entry, { workerData: setting });
    const bury = () => {
      all.delete(worker);
      clearTimeout(free.get(worker));
      free.delete(worker);
      // A task that waits for this one gets a thread that is started in its place.
      waiting.shift()?.();
    };
    // An idle worker must not keep the process alive, nor bring it down when it dies between tasks.
    worker.unref();
    worker.on('error', bury).on('exit', bury);
    all.add(worker);
    return worker;
  };
  const hire = async (): Promise<Worker> => {
    for (;;) {
      if (closed) throw new Error('The indexing threads have been closed.');
      const worker = [...free.keys()].at(-1) ?? (all.size < size ? start() : null);
      if (worker !== null) {
        clearTimeout(free.get(worker));
        free.delete(worker);
        return worker;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const letGo = (worker: Worker) => {
    if (!all.has(worker)) return;
    worker.unref();
    const dismiss = () => {
      free.delete(worker);
      all.delete(worker);
      void worker.terminate();
    };
    free.set(worker, setTimeout(dismiss, idleMs).unref());
    waiting.shift()?.();
  };

  return {
    size,
    async perform(task, advance) {
      const worker = await hire();
      worker.ref();
      try {
        return (await ask(worker, task, advance)) as never;
      } finally {
        letGo(worker);
      }
    },
    async close() {
      closed = true;
      for (const wake of waiting.splice(0)) wake();
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, task: Task, advance: Advance): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      finish();
    };
    const onMessage = (reply: WorkerReply) => {
      if (reply.kind === 'advance') advance(reply.done);
      else settle(() => (reply.kind === 'result' ? resolve(reply.result) : reject(restored(reply.failure))));
    };
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = (code: number) =>
      settle(() => reject(new Error(`An indexing thread ended with code ${code} before it had finished.`)));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(task);
  });
}

/** Folders and documents up to which starting a thread would take longer than the work. */
const SMALL = 64;

/** Small tasks on this thread, large ones on the others; `buildElsewhere` false keeps all building here. */
export function mixedCrew(own: Crew, others: Crew, buildElsewhere: boolean): Crew {
  const isSmall = (task: Task) => {
    if (task.kind === 'build') return !buildElsewhere || task.folders.length <= SMALL;
    return task.kind === 'merge' && task.parts.reduce((sum, part) => sum + part.documents, 0) <= SMALL * 10;
  };
  return {
    size: others.size,
    perform: (task, advance) => (isSmall(task) ? own : others).perform(task, advance),
    async close() {
      await Promise.all([own.close(), others.close()]);
    },
  };
}
