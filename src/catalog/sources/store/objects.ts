/**
 * Files by the SHA-256 of their bytes. An object appears whole under its name or not at all, and never changes, so
 * that a fetch which fails half-way leaves only objects that nothing names yet.
 *
 * Each object has a modification time of its own: the catalog tells by size and time whether a file changed, and
 * the paths of a tree are hard links to objects. Two contents of equal size written in one tick of the clock would
 * otherwise look the same when they change places.
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

/** Bytes as they come: at once, or in pieces. */
export type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

export class Objects {
  readonly #folder: string;
  readonly #aside: string;
  readonly #now: () => Date;
  #known = new Map<string, StoredFile>();
  #lastAt = 0;
  #count = 0;

  /** Both folders are absolute and on one file system; what is in `aside` may be lost at any time. */
  constructor(folder: string, aside: string, now: () => Date) {
    this.#folder = folder;
    this.#aside = aside;
    this.#now = now;
  }

  /** Objects of these files may be used again as they are. */
  trust(files: Iterable<StoredFile>): void {
    for (const file of files) {
      this.#known.set(keyOf(file), file);
      this.#lastAt = Math.max(this.#lastAt, file.at);
    }
  }

  /** `onBytes` hears of each piece before it is written, and refuses by throwing. */
  async write(
    bytes: Bytes,
    { executable, from }: Pick<StoredFile, 'executable' | 'from'>,
    onBytes: (count: number) => void,
  ): Promise<StoredFile> {
    const aside = this.newAside();
    const hash = createHash('sha256');
    let size = 0;
    const descriptor = openSync(aside, 'wx', 0o600);
    try {
      const take = (piece: Uint8Array) => {
        onBytes(piece.length);
        hash.update(piece);
        for (let done = 0; done < piece.length; ) done += writeSync(descriptor, piece, done);
        size += piece.length;
      };
      if (bytes instanceof Uint8Array) take(bytes);
      else for await (const piece of bytes) take(piece);
      const sha256 = hash.digest('hex');
      const known = this.#known.get(keyOf({ sha256, executable }));
      if (known !== undefined && this.isWhole(known)) return { ...known, from };
      this.#lastAt = Math.max(this.#lastAt + 1, this.#now().getTime());
      const file = { sha256, size, executable, at: this.#lastAt, from };
      fchmodSync(descriptor, modeOf(file));
      futimesSync(descriptor, file.at / 1_000, file.at / 1_000);
      const path = this.pathOf(file);
      mkdirSync(dirname(path), { recursive: true });
      renameSync(aside, path);
      this.#known.set(keyOf(file), file);
      return file;
    } finally {
      closeSync(descriptor);
      rmSync(aside, { force: true });
    }
  }

  /** A path in `aside` that nothing has. */
  newAside(): string {
    this.#count += 1;
    return join(this.#aside, String(this.#count));
  }

  pathOf(file: Pick<StoredFile, 'sha256' | 'executable'>): string {
    const key = keyOf(file);
    return join(this.#folder, key.slice(0, 2), key.slice(2));
  }

  /** True where the object is there as it was written, as far as that can be told without opening it. */
  isWhole(file: StoredFile): boolean {
    return isAsWritten(this.pathOf(file), file);
  }

  /** Removes what no file of these is made of. */
  retain(files: Iterable<StoredFile>): void {
    const kept = new Set([...files].map(keyOf));
    for (const shelf of namesIn(this.#folder)) {
      for (const name of namesIn(join(this.#folder, shelf))) {
        if (!kept.has(shelf + name))
          rmSync(join(this.#folder, shelf, name), { recursive: true, force: true });
      }
    }
    for (const key of this.#known.keys()) if (!kept.has(key)) this.#known.delete(key);
  }
}

/** A file at that path which has the size, time and mode of the stored one, and is a plain file. */
export function isAsWritten(path: string, file: StoredFile): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size !== file.size) return false;
  const sameMode = process.platform === 'win32' || (stats.mode & 0o777) === modeOf(file);
  return sameMode && Math.round(stats.mtimeMs) === file.at;
}

/** Whatever the origin says, a file is readable by all and written by its owner; only `executable` is taken over. */
export const modeOf = ({ executable }: Pick<StoredFile, 'executable'>) => (executable ? 0o755 : 0o644);

/** Mode and time belong to a hard link's target, so that one content in two modes is two objects. */
const keyOf = ({ sha256, executable }: Pick<StoredFile, 'sha256' | 'executable'>) =>
  executable ? `${sha256}x` : sha256;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
