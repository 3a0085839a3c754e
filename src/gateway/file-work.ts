/**
 * Parsing and slicing of one file's text, which takes time with its size: small files in this thread, large ones in a thread of
 * their own, so that a hostile skill keeps nobody waiting but those who ask for large files too. `load-skill.ts` and
 * `read-reference.ts` do the work in either.
 */

import { Worker } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import { withTimeout } from '../base/timing.ts';
import { GatewayError, type GatewayErrorCode, type LoadedFile } from './gateway.ts';
import type { loadSkill } from './load-skill.ts';
import type { readReference } from './read-reference.ts';

/** What a file's text is asked for. */
export interface FileWork {
  readonly load: typeof loadSkill;
  readonly read: typeof readReference;
}

/** Of a file, bytes. Markdown that is all headings or list items takes 2 ms for each KiB, other text a tenth of that. */
const LARGE_BYTES = 32 * 2 ** 10;
/** Longest work on one file, ms. */
const LONGEST_MS = 20_000;
/** Idle time after which the thread ends, ms: it starts again in a tenth of a second. */
const IDLE_MS = 10_000;

/** Loaded on first use: a process that only searches does not need these parsers. */
export const inThisThread: FileWork = {
  load: async (...args) => (await import('./load-skill.ts')).loadSkill(...args),
  read: async (...args) => (await import('./read-reference.ts')).readReference(...args),
};

/** Sent to the thread, which answers with one `FileReply`. */
export type FileTask = {
  readonly [Kind in keyof FileWork]: { readonly kind: Kind; readonly args: Parameters<FileWork[Kind]> };
}[keyof FileWork];

/** An error between threads has a code if it is a `GatewayError`. */
export type FileReply =
  | { readonly result: unknown }
  | {
      readonly failure: {
        readonly code: GatewayErrorCode | null;
        readonly message: string;
        readonly data: Readonly<Record<string, unknown>>;
      };
    };

/** Runs a task and packs what comes of it. */
export async function replyTo(task: FileTask): Promise<FileReply> {
  try {
    return {
      result: await (task.kind === 'load'
        ? inThisThread.load(...task.args)
        : inThisThread.read(...task.args)),
    };
  } catch (error) {
    const { code, data } = error instanceof GatewayError ? error : { code: null, data: {} };
    return { failure: { code, data, message: messageOf(error) } };
  }
}

/** `entry` is the built `file-worker.js`. */
export function inOwnThread(entry: URL): FileWork {
  const thread = new FileThread(entry);
  // What is read elsewhere cannot be read by the thread, and has its time limit.
  const isLarge = (file: Pick<LoadedFile, 'size' | 'bytes'> | undefined) =>
    file !== undefined && file.bytes === undefined && file.size > LARGE_BYTES;
  const asData = ({ bytes: _, ...file }: LoadedFile): LoadedFile => file;
  return {
    load(...args) {
      const [skill, request, files] = args;
      if (!isLarge(files.find(({ path }) => path === skill.file))) return inThisThread.load(...args);
      const task: FileTask = { kind: 'load', args: [skill, request, files.map(asData)] };
      return thread.perform(task, skill.file) as ReturnType<FileWork['load']>;
    },
    async read(...args) {
      const [skill, request, files] = args;
      const { namedFile } = await import('./read-reference.ts');
      if (!isLarge(namedFile(skill, request.path, files))) return inThisThread.read(...args);
      const task: FileTask = { kind: 'read', args: [skill, request, files.map(asData)] };
      return thread.perform(task, request.path) as ReturnType<FileWork['read']>;
    },
  };
}

/** One thread, started when it is needed; it gets one task at a time. */
class FileThread {
  readonly #entry: URL;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  /** Of the task that the thread has. */
  #onReply: (reply: FileReply | Error) => void = () => {};

  constructor(entry: URL) {
    this.#entry = entry;
  }

  perform(task: FileTask, path: string): Promise<unknown> {
    const mine = this.#last.then(() => this.#perform(task, path));
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #perform(task: FileTask, path: string): Promise<unknown> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#started();
    const replied = new Promise<FileReply | Error>((resolve) => {
      this.#onReply = resolve;
    });
    this.#worker.postMessage(task);
    const reply = await withTimeout(replied, LONGEST_MS, () => tooSlow(path));
    if (reply instanceof Error) {
      this.#end();
      throw reply;
    }
    this.#idle = setTimeout(() => this.#end(), IDLE_MS);
    this.#idle.unref();
    if ('result' in reply) return reply.result;
    const { code, message, data } = reply.failure;
    throw code === null ? new Error(message) : new GatewayError(code, message, { data });
  }

  #started(): Worker {
    const worker = new Worker(this.#entry);
    // It must not keep the process alive.
    worker.unref();
    // A thread that was ended must not answer for the one that follows it.
    const reply = (of: FileReply | Error) => {
      if (this.#worker === worker) this.#onReply(of);
    };
    worker.on('message', reply);
    worker.on('error', reply);
    worker.on('exit', () => reply(new Error('The thread that reads large files has ended.')));
    return worker;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}

const tooSlow = (path: string) =>
  new GatewayError(
    'FILE_TOO_LARGE',
    `${path} takes longer than ${LONGEST_MS / 1_000} s to read. Use it from the skill's folder.`,
  );
