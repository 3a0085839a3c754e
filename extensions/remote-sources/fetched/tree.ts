/**
 * The files of a source as a folder to scan: hard links to objects if the file system has them, else copies. A correct
 * file is not touched, so its inode and times stay and it is not indexed again.
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
import { basename, dirname, join } from 'node:path';
import { takeTurns } from '../../../src/base/timing.ts';
import type { StoredFile } from './contents.ts';
import { fileMode, matchesStored, type ObjectStore } from './object-store.ts';
import { listParents } from './select-files.ts';

/**
 * Makes `root` hold exactly these files, and its parent folder nothing else. True if anything changed. Each file
 * changes by one rename: an interrupted call leaves whole files of either state, and the next call finishes the work.
 */
export async function materialise(
  root: string,
  files: ReadonlyMap<string, StoredFile>,
  objects: ObjectStore,
): Promise<boolean> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const missing = new Map(files);
  let changed = removeOthers(dirname(root), basename(root));
  const yieldTurn = takeTurns();
  const folders = new Set(Array.from(files.keys()).flatMap(listParents));
  const listed = new Set<string>();
  const pending = [''];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    listed.add(at);
    for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      const file = files.get(path);
      if (entry.isDirectory() && folders.has(path)) pending.push(path);
      else if (file !== undefined && matchesStored(join(root, path), file)) missing.delete(path);
      else if (file === undefined || !entry.isFile()) {
        rmSync(join(root, path), { recursive: true, force: true });
        changed = true;
      }
      await yieldTurn();
    }
  }
  // Parents come before their folders.
  for (const folder of folders) {
    if (!listed.has(folder)) mkdirSync(join(root, folder));
    await yieldTurn();
  }
  for (const [path, file] of missing) {
    putFile(join(root, path), file, objects);
    changed = true;
    await yieldTurn();
  }
  return changed;
}

function removeOthers(folder: string, kept: string): boolean {
  const others = readdirSync(folder).filter((name) => name !== kept);
  for (const name of others) rmSync(join(folder, name), { recursive: true, force: true });
  return others.length > 0;
}

function putFile(path: string, file: StoredFile, objects: ObjectStore): void {
  // A link appears atomically, and needs no rename if nothing is there yet.
  if (tryLink(objects.pathOf(file), path)) return;
  const staged = objects.newStagingPath();
  if (!tryLink(objects.pathOf(file), staged)) {
    // The file system has no hard links, or the object has too many.
    copyFileSync(objects.pathOf(file), staged);
    chmodSync(staged, fileMode(file));
    utimesSync(staged, file.at / 1_000, file.at / 1_000);
  }
  renameSync(staged, path);
  // A rename onto another link of the same file does nothing, so the staged link would remain.
  rmSync(staged, { force: true });
}

function tryLink(object: string, path: string): boolean {
  try {
    linkSync(object, path);
    return true;
  } catch {
    return false;
  }
}
