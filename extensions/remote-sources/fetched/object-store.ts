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
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { takeTurns } from '../../../src/base/timing.ts';
import type { StoredFile } from './contents.ts';

/** All bytes at once, or in chunks. */
export type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

export class ObjectStore {
  readonly #folder: string;
  readonly #staging: string;
  readonly #now: () => Date;
  readonly #known = new Map<string, StoredFile>();
  readonly #yieldTurn = takeTurns();
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
    for (const file of files) this.#known.set(objectKey(file), file);
    for (const { at } of others) this.#lastAt = Math.max(this.#lastAt, at);
  }

  /** Calls `onBytes` before each chunk is written; it refuses the chunk by throwing. */
  async write(
    bytes: Bytes,
    { executable, from }: Pick<StoredFile, 'executable' | 'from'>,
    onBytes: (count: number) => void,
  ): Promise<StoredFile> {
    const staged = this.newStagingPath();
    await this.#yieldTurn();
    try {
      const { held, ...written } = await receive(staged, bytes, onBytes);
      const known = this.#known.get(objectKey({ ...written, executable }));
      if (known !== undefined && this.isIntact(known)) {
        if (held === null) rmSync(staged);
        return { ...known, from };
      }
      if (held !== null) writeFileSync(staged, held, { flag: 'wx', mode: 0o600 });
      this.#lastAt = Math.max(this.#lastAt + 1, this.#now().getTime());
      const file = { ...written, executable, at: this.#lastAt, from };
      chmodSync(staged, fileMode(file));
      utimesSync(staged, file.at / 1_000, file.at / 1_000);
      const path = this.pathOf(file);
      mkdirSync(dirname(path), { recursive: true });
      renameSync(staged, path);
      this.#known.set(objectKey(file), file);
      return file;
    } catch (error) {
      rmSync(staged, { force: true });
      throw error;
    }
  }

  /** A new path in the staging folder. */
  newStagingPath(): string {
    this.#count += 1;
    return join(this.#staging, String(this.#count));
  }

  pathOf(file: Pick<StoredFile, 'sha256' | 'executable'>): string {
    const key = objectKey(file);
    return join(this.#folder, key.slice(0, 2), key.slice(2));
  }

  /** True if the object is there and unchanged, as far as size, time and mode show. */
  isIntact(file: StoredFile): boolean {
    return matchesStored(this.pathOf(file), file);
  }

  /** Removes the objects of all other files. */
  async retain(files: Iterable<StoredFile>): Promise<void> {
    const yieldTurn = takeTurns();
    const kept = new Set([...files].map(objectKey));
    for (const prefix of namesIn(this.#folder)) {
      for (const name of namesIn(join(this.#folder, prefix))) {
        if (!kept.has(prefix + name))
          rmSync(join(this.#folder, prefix, name), { recursive: true, force: true });
        await yieldTurn();
      }
    }
    for (const key of this.#known.keys()) if (!kept.has(key)) this.#known.delete(key);
  }
}

/** Contents up to this size are held in memory until it is known whether the store has them, bytes. */
const SMALL_BYTES = 65_536;

/** Small contents in memory, larger ones in a new file, written in pieces. */
async function receive(path: string, bytes: Bytes, onBytes: (count: number) => void) {
  const hash = createHash('sha256');
  let size = 0;
  let held: Uint8Array[] | null = [];
  let descriptor: number | null = null;
  try {
    for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
      onBytes(chunk.length);
      hash.update(chunk);
      size += chunk.length;
      held?.push(chunk);
      if (held !== null && size <= SMALL_BYTES) continue;
      descriptor ??= openSync(path, 'wx', 0o600);
      for (const piece of held ?? [chunk]) writeFileSync(descriptor, piece);
      held = null;
    }
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
  return { sha256: hash.digest('hex'), size, held: held === null ? null : Buffer.concat(held) };
}

/** True if there is a plain file at `path` with the size, time and mode of the stored one. */
export function matchesStored(path: string, file: StoredFile): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size !== file.size) return false;
  const sameMode = process.platform === 'win32' || (stats.mode & 0o777) === fileMode(file);
  return sameMode && Math.round(stats.mtimeMs) === file.at;
}

/** Of the origin's mode only `executable` counts: every file is readable by all and writable by its owner. */
export const fileMode = ({ executable }: Pick<StoredFile, 'executable'>) => (executable ? 0o755 : 0o644);

/** Hard links share mode and time, so one content in two modes is two objects. */
const objectKey = ({ sha256, executable }: Pick<StoredFile, 'sha256' | 'executable'>) =>
  executable ? `${sha256}x` : sha256;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
