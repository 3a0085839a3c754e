/**
 * The files of a source as a folder that can be scanned: hard links to objects where the file system has them, else
 * copies. A file that is as it should be is not touched, so its inode and times stay, and nothing is indexed again.
 */

import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { StoredFile } from './contents.ts';
import { isAsWritten, modeOf, type Objects } from './objects.ts';

/** Files looked at between two turns of the event loop: about 3 ms of work. */
const SLICE_FILES = 256;

/**
 * Makes `root` hold exactly these files. True where anything had to be touched. Each file changes by one rename;
 * broken off in the middle, it leaves whole files of either state, and the next call finishes the work.
 */
export async function materialise(
  root: string,
  files: ReadonlyMap<string, StoredFile>,
  objects: Objects,
): Promise<boolean> {
  const folders = new Set<string>(['']);
  for (const path of files.keys()) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      folders.add(path.slice(0, end));
    }
  }
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const missing = new Map(files);
  let touched = false;
  let looked = 0;
  const pending = [''];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      const file = files.get(path);
      if (entry.isDirectory() && folders.has(path)) pending.push(path);
      else if (file !== undefined && isAsWritten(join(root, path), file)) missing.delete(path);
      else if (file === undefined || !entry.isFile()) {
        rmSync(join(root, path), { recursive: true, force: true });
        touched = true;
      }
      looked += 1;
      if (looked % SLICE_FILES === 0) await setImmediate();
    }
  }
  for (const [path, file] of missing) {
    place(join(root, path), file, objects);
    touched = true;
    looked += 1;
    if (looked % SLICE_FILES === 0) await setImmediate();
  }
  return touched;
}

function place(path: string, file: StoredFile, objects: Objects): void {
  mkdirSync(dirname(path), { recursive: true });
  const aside = objects.newAside();
  try {
    linkSync(objects.pathOf(file), aside);
  } catch {
    // The file system has no hard links, or no more of this one.
    copyFileSync(objects.pathOf(file), aside);
    chmodSync(aside, modeOf(file));
    utimesSync(aside, file.at / 1_000, file.at / 1_000);
  }
  renameSync(aside, path);
  // A rename onto another link of the same file does nothing at all.
  rmSync(aside, { force: true });
}
