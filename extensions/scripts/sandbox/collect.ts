/**
 * Collects the files that a run left in its work folder. All of its processes are dead by then, so no file changes
 * between the check and the read. Links are left out wherever they point to, as is everything that is not a regular
 * file.
 */

import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import type { GivenFile, RunResult } from './sandbox.ts';

/** Characters that forge or hide a part of a line. Two joiners are part of words. */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Levels of folders that are read. */
const MAX_DEPTH = 16;
/** Most entries that are listed as left out; a run may create thousands. */
const MAX_LEFT_OUT = 50;

type Collected = Pick<RunResult, 'files' | 'leftOut'>;

/** `folder` is the path of the work folder from outside. Files equal to a given one are not outputs of the run. */
export function collect(folder: string, given: readonly GivenFile[], keep: Keep): Collected {
  const collection = new Collection(folder, given, keep);
  collection.walk('', 0);
  return collection.collected();
}

interface Keep {
  readonly files: number;
  readonly bytes: number;
}

class Collection {
  readonly #folder: string;
  readonly #before: ReadonlyMap<string, Uint8Array>;
  readonly #keep: Keep;
  readonly #files: GivenFile[] = [];
  readonly #leftOut: { path: string; reason: string }[] = [];
  #bytesLeft: number;

  constructor(folder: string, given: readonly GivenFile[], keep: Keep) {
    this.#folder = folder;
    this.#before = new Map(given.map(({ path, bytes }) => [path, bytes]));
    this.#keep = keep;
    this.#bytesLeft = keep.bytes;
  }

  /** `path` is relative to the work folder; '' is the folder itself. */
  walk(path: string, depth: number): void {
    const absolute = path === '' ? this.#folder : `${this.#folder}/${path}`;
    if (path !== '') chmodSync(absolute, 0o700);
    for (const raw of readdirSync(absolute, { encoding: 'buffer' }).sort(Buffer.compare)) {
      const name = raw.toString('utf8');
      const below = path === '' ? name : `${path}/${name}`;
      if (!Buffer.from(name).equals(raw)) this.#leaveOut(below, 'its name is not UTF-8');
      else if (HIDDEN.test(name)) this.#leaveOut(below, 'its name has control or invisible characters');
      else this.#visit(below, depth);
    }
  }

  collected(): Collected {
    const files = this.#files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, leftOut: this.#leftOut };
  }

  #visit(path: string, depth: number): void {
    const stat = lstatSync(`${this.#folder}/${path}`);
    if (!stat.isDirectory()) this.#take(path, stat);
    else if (depth >= MAX_DEPTH) this.#leaveOut(path, `it is more than ${MAX_DEPTH} folders deep`);
    else this.walk(path, depth + 1);
  }

  #take(path: string, stat: Stats): void {
    const objection = this.#objectionTo(stat);
    if (objection !== null) {
      this.#leaveOut(path, objection);
      return;
    }
    chmodSync(`${this.#folder}/${path}`, 0o600);
    const bytes = readWhole(`${this.#folder}/${path}`, stat.size);
    const given = this.#before.get(path);
    if (given !== undefined && bytes.equals(given)) return;
    this.#bytesLeft -= bytes.length;
    this.#files.push({ path, bytes });
  }

  #objectionTo(stat: Stats): string | null {
    const { files, bytes } = this.#keep;
    if (!stat.isFile()) return stat.isSymbolicLink() ? 'it is a link' : 'it is not a file';
    if (this.#files.length >= files) return `there are more than ${files} files`;
    return stat.size > this.#bytesLeft ? `together with the others it has more than ${bytes} bytes` : null;
  }

  #leaveOut(path: string, reason: string): void {
    if (this.#leftOut.length < MAX_LEFT_OUT) this.#leftOut.push({ path, reason });
  }
}

/** Reads at most `size` bytes: no process is left that could make the file grow. */
function readWhole(path: string, size: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(size);
    let at = 0;
    while (at < size) {
      const read = readSync(file, bytes, at, size - at, at);
      if (read === 0) break;
      at += read;
    }
    return bytes.subarray(0, at);
  } finally {
    closeSync(file);
  }
}
