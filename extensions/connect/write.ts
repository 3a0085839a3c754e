/** Writes what `plan.ts` planned: a backup first, then each file in one step. */

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../src/app/app-error.ts';
import { writeWhole } from '../../src/app/lockfile.ts';
import { readRegularSync } from '../../src/base/files/read.ts';
import { backupFile, type FileChange, MAX_BYTES, namesFile, noFile } from './plan.ts';

/** Throws `FILE_UNWRITABLE` where one of the files cannot be written, so that either all change or none. */
export function checkWritable(changes: readonly FileChange[]): void {
  for (const { file } of changes) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    // Also for root, and though replacing a file needs no right to write it: its owner wants it unchanged.
    if (mode !== undefined && (mode & 0o222) === 0) throw unwritable(file, 'the file is read-only');
    let folder = dirname(file);
    while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
    try {
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      throw unwritable(file, `the folder ${folder} is read-only`, cause);
    }
  }
}

/** Makes a change. `keepBackup` is false when it restores the file. */
export function applyChange(change: FileChange, keepBackup: boolean): void {
  const { file, before, after, isFirst, addedNames, madeFolder } = change;
  const backup = backupFile(file);
  const now = existsSync(file) ? readText(file) : null;
  if (now !== before) throw unwritable(file, 'it changed in the meantime');
  if (keepBackup && isFirst) {
    const made = mkdirSync(dirname(file), { recursive: true });
    // Settings of hosts hold secrets: the copy is as private as the file.
    writeAnew(backup, before ?? noFile(made), before === null ? 0o600 : statSync(file).mode);
  }
  if (addedNames.length > 0) writeAnew(namesFile(file), `${JSON.stringify(addedNames)}\n`, 0o600);
  if (after === null) rmSync(file);
  else writeWhole(file, after);
  if (!keepBackup) for (const copy of [backup, namesFile(file)]) rmSync(copy, { force: true });
  if (!keepBackup && madeFolder !== null) removeEmpty(dirname(file), madeFolder);
}

/** Never follows a link. */
function writeAnew(file: string, text: string, mode: number): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode, flag: 'wx' });
}

/** Removes the folder and those above it, up to `top`, as long as they are empty. */
function removeEmpty(folder: string, top: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  if (folder !== top && dirname(folder).startsWith(top)) removeEmpty(dirname(folder), top);
}

const readText = (file: string) => Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8');

const unwritable = (file: string, reason: string, cause?: unknown) =>
  new AppError(
    'FILE_UNWRITABLE',
    `${file} cannot be written: ${reason}. Nothing was written. Make it writable, or run the command again.`,
    { cause },
  );

/** Keeps backups in a project out of its git tree. Only where the folder of git is in the project itself. */
export function ignoreBackups(project: string): void {
  const folder = join(project, '.git', 'info');
  const file = join(folder, 'exclude');
  const statPath = (path: string) => lstatSync(path, { throwIfNoEntry: false });
  // A link could lead to any file of the user.
  if (statPath(dirname(folder))?.isDirectory() !== true) return;
  if (statPath(folder)?.isDirectory() === false || statPath(file)?.isFile() === false) return;
  const line = `*${backupFile('')}`;
  const before = existsSync(file) ? readText(file) : '';
  if (before.split('\n').includes(line)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`);
}
