/**
 * The folder of caches: what lies in it, and removing what nobody needs any more. Everything in it can be made or fetched again, but
 * for what was learned, which stays.
 */

import {
  lstatSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { diskDirectory } from '../../index/directory/disk.ts';
import { IndexError } from '../../index/errors.ts';
import { systemCodeOf } from '../base/errors.ts';
import { counted } from '../mcp/text.ts';

const DAY_MS = 86_400_000;
/** An index, or a fetched copy of a source, that nobody used for so long is removed, ms. */
export const UNUSED_MS = 60 * DAY_MS;
/** Indexes, and copies, that one start removes. */
const MAX_REMOVED = 20;

/** In the folder of an index: what it is for. There and with a copy, its time of modification is when it was last used. */
const USED = 'used.json';
/** In the folder of caches: its time of modification is when unused indexes were last looked for. */
const CLEANED = '.cleaned';
/** In the folder of caches: a folder for each copy of a fetched source. */
const COPIES = 'sources';
/** Below an index: nobody can make this again. */
const LEARNED = 'learned';

/** Which skills an index holds. */
export interface IndexPurpose {
  /** Projects, else named folders, else a configuration file; of a shared index, home or the user's configuration. Absolute. */
  readonly of: readonly string[];
  /** True for the index that those of projects continue. */
  readonly shared: boolean;
}

interface CachedIndex extends Partial<IndexPurpose> {
  /** In the folder of caches. */
  readonly name: string;
  /** Its files that no other index has. */
  readonly bytes: number;
  /** Its files that other indexes have as well. */
  readonly sharedBytes: number;
  readonly usedAt: Date;
}

export interface CacheContents {
  readonly folder: string;
  /** The most recently used first. */
  readonly indexes: readonly CachedIndex[];
  /** Models, embeddings, copies of fetched sources, what was learned: by path in the folder, with `/`. */
  readonly others: readonly { readonly name: string; readonly bytes: number }[];
  /** On the disk, each file once. */
  readonly bytes: number;
}

const purposeSchema = z.object({ of: z.array(z.string()), shared: z.boolean() });

/** Names of indexes, as `index-folders.ts` gives them. */
const isIndexName = (name: string) => /^[0-9a-f]{16}$/.test(name);

/** Records that an index is used now. Does nothing where there is none, or the disk refuses. */
export function recordUse(indexFolder: string, purpose: IndexPurpose, now: Date): void {
  const file = join(indexFolder, USED);
  try {
    if (readPurpose(indexFolder) === undefined) {
      statSync(join(indexFolder, 'CURRENT'));
      writeFileSync(file, JSON.stringify(purpose));
    }
    utimesSync(file, now, now);
  } catch {
    // A cache that cannot be written is used all the same.
  }
}

/** Records that a copy of a fetched source is used now. Does nothing where there is none, or the disk refuses. */
export function recordCopyUse(copyFolder: string, now: Date): void {
  const file = join(copyFolder, USED);
  try {
    statSync(join(copyFolder, 'state.json'));
    writeFileSync(file, '');
    utimesSync(file, now, now);
  } catch {
    // A cache that cannot be written is used all the same.
  }
}

/** What lies in the folder; nothing where there is none. */
export function cacheContents(folder: string): CacheContents {
  const seen = new Map<number, number>();
  const indexes: CachedIndex[] = [];
  const others: { name: string; bytes: number }[] = [];
  const other = (name: string) => {
    const bytes = sizeOf(join(folder, name), seen).own;
    if (bytes > 0) others.push({ name, bytes });
  };
  for (const name of namesIn(folder)) {
    if (name === COPIES) for (const source of namesIn(join(folder, name))) other(`${name}/${source}`);
    else if (!isIndexName(name)) other(name);
    else {
      const { own, shared } = sizeOf(join(folder, name), seen, [LEARNED]);
      const at = usedAt(join(folder, name));
      if (at !== null)
        indexes.push({
          name,
          ...readPurpose(join(folder, name)),
          bytes: own,
          sharedBytes: shared,
          usedAt: at,
        });
      other(`${name}/${LEARNED}`);
    }
  }
  indexes.sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime());
  return { folder, indexes, others, bytes: [...seen.values()].reduce((sum, bytes) => sum + bytes, 0) };
}

/**
 * Removes an index, but not what was learned next to it. A process that has it open answers on from its open files, and builds it
 * again at the next change. False, and nothing is removed, while another process writes it, or where it was used since `unusedSince`.
 * Throws where the disk refuses.
 */
export async function removeIndex(folder: string, unusedSince = new Date(8.64e15)): Promise<boolean> {
  const unlock = await lockOrNull(folder);
  if (unlock === null) return false;
  try {
    const at = usedAt(folder);
    if (at === null || at >= unusedSince) return false;
    // First, so that nobody opens the rest.
    rmSync(join(folder, 'CURRENT'), { force: true });
    for (const name of namesIn(folder))
      if (name !== LEARNED && name !== 'lock') rmSync(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlock();
  }
  try {
    rmdirSync(folder);
  } catch {
    // What was learned is still there, or somebody began a new index.
  }
  return true;
}

/**
 * Removes the copy of a fetched source. False, and nothing is removed, while another process fetches it, or where it was used since
 * `unusedSince`. Throws where the disk refuses.
 */
async function removeCopy(folder: string, unusedSince: Date): Promise<boolean> {
  let unlock: () => Promise<void>;
  try {
    const { lock } = await import('../base/files/lock.ts');
    unlock = await lock(join(folder, 'lock'), { patienceMs: 0 });
  } catch (error) {
    if (systemCodeOf(error) === 'ELOCKED') return false;
    throw error;
  }
  try {
    if ((copyUsedAt(folder) ?? unusedSince) >= unusedSince) return false;
    for (const name of namesIn(folder))
      if (name !== 'lock') rmSync(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlock();
  }
  try {
    rmdirSync(folder);
  } catch {
    // Somebody fetches it again.
  }
  return true;
}

/**
 * Removes the indexes, and the copies of fetched sources, that nobody used since `unusedSince`: at most `most` of each, the oldest
 * first. Returns their names.
 */
export async function removeUnused(folder: string, unusedSince: Date, most: number): Promise<string[]> {
  const removed: string[] = [];
  const oldest = (names: readonly string[], lastUse: (folder: string) => Date | null) =>
    names
      .map((name) => ({ name, at: lastUse(join(folder, name)) ?? unusedSince }))
      .filter(({ at }) => at < unusedSince)
      .sort((a, b) => a.at.getTime() - b.at.getTime())
      .slice(0, most);
  for (const { name } of oldest(namesIn(folder).filter(isIndexName), usedAt))
    if (await removeIndex(join(folder, name), unusedSince)) removed.push(name);
  const copies = namesIn(join(folder, COPIES)).map((name) => `${COPIES}/${name}`);
  for (const { name } of oldest(copies, copyUsedAt))
    if (await removeCopy(join(folder, name), unusedSince)) removed.push(name);
  return removed;
}

/** `2 indexes and 1 copy of a source`, of names that `removeUnused` gives. */
export function removedText(names: readonly string[]): string {
  const copies = names.filter((name) => name.startsWith(`${COPIES}/`)).length;
  const indexes = names.length - copies;
  return [
    ...(indexes > 0 ? [counted(indexes, 'index', 'indexes')] : []),
    ...(copies > 0 ? [counted(copies, 'copy of a source', 'copies of sources')] : []),
  ].join(' and ');
}

/** The same for what was not used for 60 days, bounded, and at most once a day on this machine. */
export async function cleanDaily(folder: string, now: Date): Promise<string[]> {
  const marker = join(folder, CLEANED);
  const last = statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Math.abs(now.getTime() - last) < DAY_MS) return [];
  writeFileSync(marker, '');
  utimesSync(marker, now, now);
  return removeUnused(folder, new Date(now.getTime() - UNUSED_MS), MAX_REMOVED);
}

async function lockOrNull(folder: string): Promise<(() => Promise<void>) | null> {
  try {
    return await diskDirectory(folder).lock(0);
  } catch (error) {
    if (error instanceof IndexError && error.code === 'INDEX_LOCKED') return null;
    throw error;
  }
}

/** Null where the folder holds no index. Of an index that no version recorded, when it was last written. */
function usedAt(folder: string): Date | null {
  const names = namesIn(folder).filter((name) => name !== LEARNED && name !== 'lock');
  if (!names.some((name) => name === 'CURRENT' || name === 'words-only' || name.endsWith('.segment')))
    return null;
  const of = names.includes(USED) ? [USED] : names;
  return new Date(Math.max(...of.map((name) => mtimeOf(join(folder, name)))));
}

/** Of a copy whose use no version recorded, when it was last written. Null where there is none yet. */
function copyUsedAt(folder: string): Date | null {
  const names = namesIn(folder).filter((name) => name !== 'lock');
  return names.length === 0 ? null : new Date(Math.max(...names.map((name) => mtimeOf(join(folder, name)))));
}

const mtimeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function readPurpose(folder: string): IndexPurpose | undefined {
  try {
    return purposeSchema.parse(JSON.parse(readFileSync(join(folder, USED), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Bytes of the files below a path, apart for those with several names. Adds each file once to `seen`, by its number. */
function sizeOf(
  path: string,
  seen: Map<number, number>,
  without: readonly string[] = [],
): { own: number; shared: number } {
  const size = { own: 0, shared: 0 };
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return size;
  if (!found.isDirectory()) {
    seen.set(found.ino, found.size);
    size[found.nlink > 1 ? 'shared' : 'own'] = found.size;
    return size;
  }
  for (const name of namesIn(path)) {
    if (without.includes(name)) continue;
    const below = sizeOf(join(path, name), seen);
    size.own += below.own;
    size.shared += below.shared;
  }
  return size;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
