/**
 * The folder of one fetched source:
 *
 *     state.json      what is said of it: origin, resolved, verifiedAt, failure
 *     contents.json   what it holds: every file with its digest
 *     objects/        the files' bytes by SHA-256
 *     tree/<name>/    the files as they are scanned
 *     aside/          what is being written
 *
 * Order of a change: objects, tree, contents, state; each file by one rename. A process that dies in between leaves
 * contents whose tree is put right by the next refresh, be there a new fetch or not.
 */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { FetchError } from '../../errors.ts';
import {
  type Contents,
  contentsFromJson,
  contentsToJson,
  type State,
  type StoredFile,
  stateFromJson,
  stateToJson,
} from './contents.ts';
import { Objects } from './objects.ts';
import { materialise } from './tree.ts';

/** A process that has not refreshed its lock for this long is dead, ms. */
const STALE_MS = 10_000;
/** Between two tries at a held lock, ms. */
const RETRY_MS = 100;

export class Place {
  /** What is scanned. Its last name is the source's, since a skill that is the root is called by that. */
  readonly root: string;
  readonly objects: Objects;
  readonly #folder: string;
  readonly #key: string;

  /** `key` names what is fetched: what the folder holds of another key does not count. */
  constructor(folder: string, name: string, key: string, now: () => Date) {
    this.#folder = folder;
    this.#key = key;
    this.root = join(folder, 'tree', name);
    this.objects = new Objects(join(folder, 'objects'), join(folder, 'aside'), now);
  }

  state(): State | null {
    const text = this.#read('state.json');
    return text === null ? null : stateFromJson(text, this.#key);
  }

  saveState(state: State): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#write('state.json', stateToJson(state, this.#key));
  }

  contents(): Contents | null {
    const text = this.#read('contents.json');
    return text === null ? null : contentsFromJson(text, this.#key);
  }

  /**
   * What was fetched last, with the tree put right; `mended` where it was not as it should be. Where objects are
   * missing or were written to, the contents are without them and resolve to nothing, so that they are fetched again.
   */
  async mended(): Promise<{ contents: Contents | null; mended: boolean }> {
    rmSync(join(this.#folder, 'aside'), { recursive: true, force: true });
    mkdirSync(join(this.#folder, 'aside'), { recursive: true, mode: 0o700 });
    const contents = this.contents();
    if (contents === null) return { contents, mended: false };
    const whole = new Map([...contents.files].filter(([, file]) => this.objects.isWhole(file)));
    this.objects.trust(whole.values());
    if (whole.size < contents.files.size) {
      return { contents: { ...contents, resolved: '', memory: {}, files: whole }, mended: false };
    }
    return { contents, mended: await this.#materialise(contents.files) };
  }

  /** True where the tree had to be touched. */
  async commit(contents: Contents): Promise<boolean> {
    const touched = await this.#materialise(contents.files);
    this.#write('contents.json', contentsToJson(contents, this.#key));
    this.objects.retain(contents.files.values());
    return touched;
  }

  /** Runs alone among all processes that use the folder. Rejects with the signal's reason where it aborts first. */
  async alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const release = await this.#lock(signal);
    try {
      return await work();
    } finally {
      await release().catch(() => {});
    }
  }

  async #lock(signal: AbortSignal): Promise<() => Promise<void>> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await lockfile.lock(this.#folder, {
          lockfilePath: join(this.#folder, 'lock'),
          stale: STALE_MS,
          // Another process took over: what this one still writes is whole files, put right by the next refresh.
          onCompromised: () => {},
        });
      } catch (cause) {
        if (!(cause instanceof Error && 'code' in cause && cause.code === 'ELOCKED')) throw placeError(cause);
      }
      await pause(RETRY_MS, signal);
    }
  }

  /** Everything below `tree/` that is not the root is of an earlier name. */
  #materialise(files: ReadonlyMap<string, StoredFile>): Promise<boolean> {
    const prefix = this.root.slice(join(this.#folder, 'tree').length + 1);
    const below = new Map([...files].map(([path, file]) => [`${prefix}/${path}`, file]));
    return materialise(join(this.#folder, 'tree'), below, this.objects);
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.#folder, name), 'utf8');
    } catch {
      return null;
    }
  }

  #write(name: string, text: string): void {
    const aside = join(this.#folder, `${name}.${process.pid}.writing`);
    const descriptor = openSync(aside, 'w', 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, join(this.#folder, name));
  }
}

function placeError(cause: unknown): FetchError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The source’s folder cannot be locked: ${reason}. Check that it can be written.`;
  return new FetchError('FETCH_PLACE', message, { cause });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
