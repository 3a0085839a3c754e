/**
 * Files by the SHA-256 of their bytes. An object appears whole under its name or not at all, and never changes, so a
 * fetch that fails half-way leaves only unreferenced objects.
 *
 * Each object has a unique modification time. The catalog compares size and time to see whether a file changed, and
 * the paths of a tree are hard links to objects. With equal times, two contents of equal size that swap places would
 * look unchanged.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoredFile } from './contents.ts';

/** All bytes at once, or in chunks. */
export type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

export class ObjectStore {
  readonly #folder: string;
  readonly #staging: string;
  readonly #now: () => Date;
  readonly #known = new Map<string, StoredFile>();
  #lastAt = 0;
  #count = 0;

  /** Both folders are absolute and on one file system. Files in `staging` may be lost at any time. */
  constructor(folder: string, staging: string, now: () => Date) {
    this.#folder = folder;
    this.#staging = staging;
    this.#now = now;
  }

  /** The objects of `files` may be reused. New objects get a later time than all `others`. */
  trust(files: Iterable<StoredFile>, others: Iterable<StoredFile>): void {
    for (const file of files) this.#known.set(keyOf(file), file);
    for (const { at } of others) this.#lastAt = Math.max(this.#lastAt, at);
  }

  /** Calls `onBytes` before each chunk is written; it refuses the chunk by throwing. */
  async write(
    bytes: Bytes,
    about: Pick<StoredFile, 'executable' | 'from'>,
    onBytes: (count: number) => void,
  ): Promise<StoredFile> {
    const pending = new PendingObject(() => this.newStagingPath());
    try {
      if (bytes instanceof Uint8Array) {
        onBytes(bytes.length);
        pending.append(bytes);
      } else {
        for await (const chunk of bytes) {
          onBytes(chunk.length);
          pending.append(chunk);
        }
      }
      return this.#keep(pending, about);
    } finally {
      pending.close();
    }
  }

  /** The existing object of these bytes, else the pending one, moved to its place. */
  #keep(pending: PendingObject, { executable, from }: Pick<StoredFile, 'executable' | 'from'>): StoredFile {
    const sha256 = pending.digest();
    const known = this.#known.get(keyOf({ sha256, executable }));
    if (known !== undefined && this.isIntact(known)) return { ...known, from };
    this.#lastAt = Math.max(this.#lastAt + 1, this.#now().getTime());
    const file = { sha256, size: pending.size, executable, at: this.#lastAt, from };
    const path = this.pathOf(file);
    mkdirSync(dirname(path), { recursive: true });
    pending.moveTo(path, file);
    this.#known.set(keyOf(file), file);
    return file;
  }

  /** A new path in the staging folder. */
  newStagingPath(): string {
    this.#count += 1;
    return join(this.#staging, String(this.#count));
  }

  pathOf(file: Pick<StoredFile, 'sha256' | 'executable'>): string {
    const key = keyOf(file);
    return join(this.#folder, key.slice(0, 2), key.slice(2));
  }

  /** True if the object is there and unchanged, as far as size, time and mode show. */
  isIntact(file: StoredFile): boolean {
    return matchesStored(this.pathOf(file), file);
  }

  /** Removes the objects of all other files. */
  retain(files: Iterable<StoredFile>): void {
    const kept = new Set([...files].map(keyOf));
    for (const prefix of namesIn(this.#folder)) {
      for (const name of namesIn(join(this.#folder, prefix))) {
        if (!kept.has(prefix + name))
          rmSync(join(this.#folder, prefix, name), { recursive: true, force: true });
      }
    }
    for (const key of this.#known.keys()) if (!kept.has(key)) this.#known.delete(key);
  }
}

/** Bytes held in memory until the digest is known: most files of a second fetch are in the store already. */
const MEMORY_BYTES = 2 ** 20;

/** Bytes on their way into the store. */
class PendingObject {
  size = 0;
  readonly #newStagingPath: () => string;
  readonly #hash = createHash('sha256');
  #held: Uint8Array[] = [];
  #open: { readonly path: string; readonly descriptor: number } | null = null;

  constructor(newStagingPath: () => string) {
    this.#newStagingPath = newStagingPath;
  }

  append(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#held.push(chunk);
    this.size += chunk.length;
    if (this.size > MEMORY_BYTES) this.#spill();
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  moveTo(path: string, file: StoredFile): void {
    const { path: staged, descriptor } = this.#spill();
    fchmodSync(descriptor, modeOf(file));
    futimesSync(descriptor, file.at / 1_000, file.at / 1_000);
    closeSync(descriptor);
    this.#open = null;
    renameSync(staged, path);
  }

  close(): void {
    if (this.#open === null) return;
    closeSync(this.#open.descriptor);
    rmSync(this.#open.path, { force: true });
    this.#open = null;
  }

  #spill(): { readonly path: string; readonly descriptor: number } {
    if (this.#open === null) {
      const path = this.#newStagingPath();
      this.#open = { path, descriptor: openSync(path, 'wx', 0o600) };
    }
    for (const chunk of this.#held) {
      for (let done = 0; done < chunk.length; ) done += writeSync(this.#open.descriptor, chunk, done);
    }
    this.#held = [];
    return this.#open;
  }
}

/** True if there is a plain file at `path` with the size, time and mode of the stored one. */
export function matchesStored(path: string, file: StoredFile): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size !== file.size) return false;
  const sameMode = process.platform === 'win32' || (stats.mode & 0o777) === modeOf(file);
  return sameMode && Math.round(stats.mtimeMs) === file.at;
}

/** Of the origin's mode only `executable` counts: every file is readable by all and writable by its owner. */
export const modeOf = ({ executable }: Pick<StoredFile, 'executable'>) => (executable ? 0o755 : 0o644);

/** Hard links share mode and time, so one content in two modes is two objects. */
const keyOf = ({ sha256, executable }: Pick<StoredFile, 'sha256' | 'executable'>) =>
  executable ? `${sha256}x` : sha256;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
