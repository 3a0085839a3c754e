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

/** Levels of folders that are read. */
const MAX_DEPTH = 16;
/** Most entries that are listed as left out; a run may create thousands. */
const MAX_LEFT_OUT = 50;

type Collected = Pick<RunResult, 'files' | 'leftOut'>;

/** `folder` is the path of the work folder from outside. Files equal to a given one are not outputs of the run. */
export function collect(
  folder: string,
  given: readonly GivenFile[],
  keep: { readonly files: number; readonly bytes: number },
): Collected {
  const files: GivenFile[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  const before = new Map(given.map(({ path, bytes }) => [path, bytes]));
  let left = keep.bytes;
  const leaveOut = (path: string, reason: string) => {
    if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ path, reason });
  };

  const objectionTo = (stat: Stats): string | null => {
    if (!stat.isFile()) return stat.isSymbolicLink() ? 'it is a link' : 'it is not a file';
    if (files.length >= keep.files) return `there are more than ${keep.files} files`;
    return stat.size > left ? `together with the others it has more than ${keep.bytes} bytes` : null;
  };

  const take = (path: string, stat: Stats): void => {
    const objection = objectionTo(stat);
    if (objection !== null) {
      leaveOut(path, objection);
      return;
    }
    chmodSync(`${folder}/${path}`, 0o600);
    const bytes = readWhole(`${folder}/${path}`, stat.size);
    const own = before.get(path);
    if (own !== undefined && bytes.equals(own)) return;
    left -= bytes.length;
    files.push({ path, bytes });
  };

  const visit = (path: string, depth: number): void => {
    const stat = lstatSync(`${folder}/${path}`);
    if (!stat.isDirectory()) take(path, stat);
    else if (depth >= MAX_DEPTH) leaveOut(path, `it is more than ${MAX_DEPTH} folders deep`);
    else walk(path, depth + 1);
  };

  const walk = (path: string, depth: number): void => {
    const absolute = path === '' ? folder : `${folder}/${path}`;
    if (path !== '') chmodSync(absolute, 0o700);
    for (const raw of readdirSync(absolute, { encoding: 'buffer' }).sort(Buffer.compare)) {
      const name = raw.toString('utf8');
      const below = path === '' ? name : `${path}/${name}`;
      if (!Buffer.from(name).equals(raw)) leaveOut(below, 'its name is not UTF-8');
      else visit(below, depth);
    }
  };

  walk('', 0);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, leftOut };
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
