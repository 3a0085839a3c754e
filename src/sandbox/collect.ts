/**
 * What a run left in its work folder, read once every process of it is dead: nothing moves any more, so what is
 * looked at is what is read. Links are left out, whatever they lead to; so is what could be no resource.
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

/** Levels of folders that are looked into. */
const MAX_DEPTH = 16;
/** Entries told as left out; a run may make thousands. */
const MOST_LEFT_OUT = 50;

export type Collected = Pick<RunResult, 'files' | 'leftOut'>;

/** `folder` is how the work folder is reached; files equal to what was given are not the run's. */
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
    if (leftOut.length < MOST_LEFT_OUT) leftOut.push({ path, reason });
  };

  const objectionTo = (stat: Stats): string | null => {
    if (!stat.isFile()) return stat.isSymbolicLink() ? 'it is a link' : 'it is no file';
    if (files.length >= keep.files) return `there are more than ${keep.files} files`;
    return stat.size > left ? `it and the others have more than ${keep.bytes} bytes` : null;
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
    else if (depth >= MAX_DEPTH) leaveOut(path, `it lies more than ${MAX_DEPTH} folders deep`);
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

/** At most `size` bytes: a file on a dead file system does not grow. */
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
