/**
 * Unpacks an archive's skills into the store. All names and sizes are checked before anything is unpacked; after that
 * the limits count the real bytes. Archives within an archive are plain files.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { StoredFile } from '../fetched/contents.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import { type IncomingContents, tooManyBytes, tooManySkills } from '../fetched/incoming.ts';
import { findSkillFolders, selectFiles } from '../fetched/select-files.ts';
import { type Archive, damaged, type Entry } from './entries.ts';
import { openTar } from './tar.ts';
import { openZip } from './zip.ts';

/** What unpacking needs of a fetch. */
type Target = Pick<IncomingContents, 'limits' | 'signal' | 'report' | 'store'>;

/**
 * A single top folder that is not itself a skill is removed from all paths: repository archives put everything below
 * `<name>-<commit>/`, and ids should not change with every commit. `folder` is relative to the root, or else to that
 * single folder. `as` prefixes all paths of the result; `from` becomes their `StoredFile.from`.
 */
export async function unpack(
  path: string,
  incoming: Target,
  { folder = '', from = null, as = '' }: { folder?: string; from?: string | null; as?: string } = {},
): Promise<Map<string, StoredFile>> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile())
      throw new FetchError(`${path} is not a file: give the path of an archive.`);
    const archive = await openArchive(file, incoming);
    const entries = entriesBelow(archive.entries, folder);
    const taken = await selectFiles(entries, (id, at, ...more) => incoming.report(id, as + at, ...more));
    checkSize(taken, incoming);
    const numbers = new Map(taken.map((entry) => [entry.at, entry]));
    const files = new Map<string, StoredFile>();
    await archive.read(new Set(numbers.keys()), async (at, bytes) => {
      const { path: name, executable } = numbers.get(at)!;
      files.set(as + name, await incoming.store(bytes, { executable, from }));
    });
    if (files.size < taken.length) throw damaged(new Error('it changed while it was read'));
    return files;
  } finally {
    await file.close();
  }
}

/** Detects the format by the first bytes: names and media types are too often wrong. */
async function openArchive(file: FileHandle, { limits, signal }: Target): Promise<Archive> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
  const start = buffer.subarray(0, bytesRead);
  const begins = (...bytes: number[]) => bytes.every((byte, at) => start[at] === byte);
  if (begins(0x50, 0x4b, 3, 4) || begins(0x50, 0x4b, 5, 6)) return await openZip(file);
  if (begins(0x1f, 0x8b)) return await openTar(file, true, limits.maxBytes, signal);
  const isTar = start.toString('latin1', 257, 262) === 'ustar';
  const isEmptyTar = bytesRead === 512 && start.every((byte) => byte === 0);
  if (isTar || isEmptyTar) return await openTar(file, false, limits.maxBytes, signal);
  throw new FetchError('It is not an archive: give a .zip, .tar, .tar.gz or .tgz.');
}

type Numbered = Entry & { readonly at: number };

function entriesBelow(entries: readonly Entry[], folder: string): Numbered[] {
  const all = entries.map((entry, at) => ({ ...entry, at }));
  const top = findSingleTop(entries);
  if (folder === '') return top === null ? all : below(all, top);
  const found = below(all, folder);
  if (found.length > 0) return found;
  const deeper = top === null ? [] : below(below(all, top), folder);
  if (deeper.length > 0) return deeper;
  throw new FetchError(`The archive has no folder ${folder}: give another.`);
}

function findSingleTop(entries: readonly Entry[]): string | null {
  const tops = new Set(
    entries.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')),
  );
  const [top] = tops;
  if (tops.size !== 1 || top === undefined || top === '' || top === '..') return null;
  return findSkillFolders(entries.map(({ path }) => path)).has(top) ? null : top;
}

function below(entries: readonly Numbered[], folder: string): Numbered[] {
  const prefix = `${folder}/`;
  return entries.flatMap((entry) =>
    entry.path.startsWith(prefix) ? { ...entry, path: entry.path.slice(prefix.length) } : [],
  );
}

/** What the archive has by itself; the store counts all that a fetch brings. */
function checkSize(taken: readonly Numbered[], { limits }: Target): void {
  const skills = findSkillFolders(taken.map(({ path }) => path)).size;
  if (skills > limits.maxSkills) throw tooManySkills(skills, limits);
  const bytes = taken.reduce((sum, { size }) => sum + (size ?? 0), 0);
  if (bytes > limits.maxBytes) throw tooManyBytes(limits);
}
