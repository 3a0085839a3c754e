/** Whole files in bounded memory. A file that grows while it is read is refused like one that was too large before. */

import { closeSync, fstatSync, read as readCallback, readSync, realpathSync, type Stats } from 'node:fs';
import { relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { FileError, openBelow, openRegular, toFileError } from './open.ts';

const read = promisify(readCallback);

/** The bytes of a file below `folder`, at most `maxBytes`; see `openBelow`. Rejects with `FileError`. */
export async function readBelow(
  folder: string,
  path: string,
  isOwn: (path: string) => boolean,
  maxBytes: number,
): Promise<Uint8Array> {
  return readAll(openBelow(folder, path, isOwn), path, maxBytes);
}

/**
 * The bytes of a file that the operator names, at most `maxBytes`; see `openRegular`. `check` may refuse the opened file
 * by throwing. Rejects with that, or with `FileError`.
 */
export async function readRegular(
  path: string,
  maxBytes: number,
  check: (found: Stats) => void = () => {},
): Promise<Uint8Array> {
  return readAll(openRegular(path), path, maxBytes, check);
}

/** `readRegular` for code that cannot wait. Throws what `check` throws, or `FileError`. */
export const readRegularSync = (
  path: string,
  maxBytes: number,
  check: (found: Stats) => void = () => {},
): Uint8Array => readAllSync(openRegular(path), path, { maxBytes, check });

/**
 * The bytes of a file that others wrote, such as one of a cloned project: a regular file of at most `maxBytes` that is below
 * `folder` after links are resolved. `path` is absolute. `check` may refuse the opened file by throwing. Throws that, or `FileError`.
 */
export function readInside(folder: string, path: string, limits: InsideLimits): Uint8Array {
  const below = relative(folder, path).split(sep).join('/');
  return readAllSync(openBelow(resolveLinks(folder), below, limits.isOwn ?? (() => true)), path, limits);
}

interface Limits {
  readonly maxBytes: number;
  readonly check?: ((found: Stats) => void) | undefined;
}

interface InsideLimits extends Limits {
  /** Which files below the folder links may lead to. Default: all. */
  readonly isOwn?: (path: string) => boolean;
}

function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw toFileError(error, folder);
  }
}

function readAllSync(file: number, path: string, { maxBytes, check }: Limits): Uint8Array {
  try {
    const found = fstatSync(file);
    check?.(found);
    const contents = new Contents(found.size, path, maxBytes);
    while (contents.took(readSync(file, contents.free, 0, contents.free.length, null)));
    return contents.bytes;
  } catch (error) {
    throw toFileError(error, path);
  } finally {
    closeSync(file);
  }
}

async function readAll(
  file: number,
  path: string,
  maxBytes: number,
  check: (found: Stats) => void = () => {},
): Promise<Uint8Array> {
  try {
    const found = fstatSync(file);
    check(found);
    const contents = new Contents(found.size, path, maxBytes);
    while (contents.took((await read(file, contents.free, 0, contents.free.length, null)).bytesRead));
    return contents.bytes;
  } catch (error) {
    throw toFileError(error, path);
  } finally {
    closeSync(file);
  }
}

/** A file's bytes while they come in: one more than it should have shows that it has grown. */
class Contents {
  readonly #path: string;
  readonly #maxBytes: number;
  #buffer: Buffer;
  #filled = 0;

  constructor(size: number, path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#demand(size);
    this.#buffer = Buffer.allocUnsafe(size + 1);
  }

  /** Where the next bytes go; never empty. */
  get free(): Buffer {
    return this.#buffer.subarray(this.#filled);
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#filled);
  }

  /** Takes that many bytes, which were put into `free`; false at the end of the file. */
  took(count: number): boolean {
    this.#filled += count;
    this.#demand(this.#filled);
    if (this.#filled === this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer], Math.min(2 * this.#filled, this.#maxBytes + 1));
    return count > 0;
  }

  #demand(size: number): void {
    if (size <= this.#maxBytes) return;
    const [path, limit] = [this.#path, this.#maxBytes];
    const reason = `has ${size} bytes; at most ${limit} are read.`;
    throw new FileError('FILE_TOO_LARGE', path, reason, { data: { path, size, limit } });
  }
}
