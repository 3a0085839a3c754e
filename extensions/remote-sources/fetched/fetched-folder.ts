/**
 * The folder of one fetched source:
 *
 *     state.json      its state: resolved, verifiedAt, failure
 *     contents.json   what it holds: every file with its digest
 *     objects/        the files' bytes by SHA-256
 *     tree/<name>/    the files as they are scanned
 *     aside/          staging: what is being written
 *
 * A change is written in this order: objects, tree, contents, state; each file by one rename. If a process dies in
 * between, the next refresh repairs the tree from the contents, even without a new fetch.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../../src/base/errors.ts';
import { lock } from '../../../src/base/files/lock.ts';
import { readRegularSync } from '../../../src/base/files/read.ts';
import { replaceFile } from '../../../src/base/files/replace.ts';
import { takeTurns } from '../../../src/base/timing.ts';
import {
  type Contents,
  contentsFromJson,
  contentsToJson,
  type State,
  type StoredFile,
  stateFromJson,
  stateToJson,
} from './contents.ts';
import { FetchError } from './fetch-error.ts';
import { ObjectStore } from './object-store.ts';
import { materialise } from './tree.ts';

/** Size limit of a state file, bytes: a line for each of 20,000 skills with 512 files. */
const MAX_STATE_BYTES = 2 ** 30;

export class FetchedFolder {
  /** The folder to scan. It is named after the source, because a skill at the root takes the folder's name. */
  readonly root: string;
  readonly objects: ObjectStore;
  readonly #folder: string;
  readonly #key: string;

  /** `key` identifies what is fetched: contents of another key are ignored. */
  constructor(folder: string, name: string, key: string, now: () => Date) {
    this.#folder = folder;
    this.#key = key;
    this.root = join(folder, 'tree', name);
    this.objects = new ObjectStore(join(folder, 'objects'), join(folder, 'aside'), now);
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
   * The last contents, after repairing the tree; `repaired` if that was necessary. If objects are missing or were
   * changed, the contents lack those files and `resolved` is empty, so that they are fetched again.
   */
  async repair(): Promise<{ contents: Contents | null; repaired: boolean }> {
    rmSync(join(this.#folder, 'aside'), { recursive: true, force: true });
    mkdirSync(join(this.#folder, 'aside'), { recursive: true, mode: 0o700 });
    const contents = this.contents();
    if (contents === null) {
      this.objects.trust([], []);
      return { contents, repaired: false };
    }
    const whole = new Map<string, StoredFile>();
    const yieldTurn = takeTurns();
    for (const [path, file] of contents.files) {
      if (this.objects.isIntact(file)) whole.set(path, file);
      await yieldTurn();
    }
    this.objects.trust(whole.values(), contents.files.values());
    if (whole.size < contents.files.size) {
      return { contents: { ...contents, resolved: '', memory: {}, files: whole }, repaired: false };
    }
    return { contents, repaired: await materialise(this.root, contents.files, this.objects) };
  }

  /** Makes these the folder's contents. True if the tree changed. */
  async commit(contents: Contents): Promise<boolean> {
    // Without contents, size and time do not prove what the tree's files hold.
    if (this.contents() === null) rmSync(dirname(this.root), { recursive: true, force: true });
    const changed = await materialise(this.root, contents.files, this.objects);
    this.#write('contents.json', contentsToJson(contents, this.#key));
    await this.objects.retain(contents.files.values());
    return changed;
  }

  /** Runs `work` while no other process works on the folder. Rejects with the signal's reason if it aborts first. */
  async withLock<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const release = await lock(join(this.#folder, 'lock'), { signal }).catch((cause: unknown) => {
      throw signal.aborted ? signal.reason : lockError(cause);
    });
    try {
      return await work();
    } finally {
      await release().catch(() => {});
    }
  }

  #read(name: string): string | null {
    try {
      return Buffer.from(readRegularSync(join(this.#folder, name), MAX_STATE_BYTES)).toString('utf8');
    } catch {
      return null;
    }
  }

  #write(name: string, text: string): void {
    replaceFile(join(this.#folder, name), text, 0o600);
  }
}

function lockError(cause: unknown): FetchError {
  const message = `The source’s folder cannot be locked: ${errorMessage(cause)}. Check that it can be written.`;
  return new FetchError(message, { cause });
}
