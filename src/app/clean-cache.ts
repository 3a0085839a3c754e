/**
 * The folder of caches: what it holds, and removing what was not used for 60 days. Everything in it can be made or fetched again,
 * but for what was learned, which stays.
 */

import { lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { COMPILED, USED } from './cache.ts';

const DAY_MS = 86_400_000;
/** An index, or a fetched copy of a source, is unused after this time, ms. */
export const UNUSED_MS = 60 * DAY_MS;

/** In the folder of caches: a folder for each copy of a fetched source. */
const COPIES = 'sources';
/** Below an index: it cannot be made again. */
const LEARNED = 'learned';

interface CacheEntry {
  /** Path in the folder, with `/`. */
  readonly name: string;
  /** On the disk; a file that several indexes share counts for the first. */
  readonly bytes: number;
  /** Null for what is no index, copy of a source or compiled code. */
  readonly usedAt: Date | null;
}

export interface CacheContents {
  readonly folder: string;
  /** By name. */
  readonly entries: readonly CacheEntry[];
  readonly bytes: number;
}

/** What lies in the folder; nothing where there is none. */
export function cacheContents(folder: string): CacheContents {
  const seen = new Set<number>();
  const names = namesIn(folder).flatMap((name) =>
    [COPIES, COMPILED].includes(name) ? namesIn(join(folder, name)).map((copy) => `${name}/${copy}`) : [name],
  );
  const entries = names.map((name) => ({
    name,
    bytes: measureSize(join(folder, name), seen),
    usedAt: isRemovable(name) ? lastUse(join(folder, name)) : null,
  }));
  return { folder, entries, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * Removes the indexes, copies of sources and compiled code that were not used since `unusedSince`, and returns their names. Those
 * stay that another process writes, and what was learned. A process that has one open answers on, and makes it again at the next
 * change. Throws where the disk refuses.
 */
export async function removeUnused(folder: string, unusedSince: Date): Promise<string[]> {
  const removed: string[] = [];
  for (const { name, usedAt } of cacheContents(folder).entries)
    if (usedAt !== null && usedAt < unusedSince && (await removeEntry(join(folder, name), unusedSince)))
      removed.push(name);
  return removed;
}

async function removeEntry(folder: string, unusedSince: Date): Promise<boolean> {
  let unlock: () => Promise<void>;
  try {
    // Loaded on first use: a start needs no lock.
    const { lock } = await import('../base/files/lock.ts');
    unlock = await lock(join(folder, 'lock'), { patienceMs: 0 });
  } catch (error) {
    if (systemCode(error) === 'ELOCKED') return false;
    throw error;
  }
  try {
    const usedAt = lastUse(folder);
    if (usedAt === null || usedAt >= unusedSince) return false;
    // First, so that no process opens the rest.
    rmSync(join(folder, 'CURRENT'), { force: true });
    for (const name of listContents(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlock();
  }
  try {
    rmdirSync(folder);
  } catch {
    // What was learned is still there, or another process began anew.
  }
  return true;
}

/** Indexes have the names that `index-folders.ts` gives them. */
const isRemovable = (name: string) => /^(?:[0-9a-f]{16}$|(?:sources|compiled)\/)/.test(name);

/** Null where the folder holds nothing that can be made again. Where no use was recorded, the time of the last write. */
function lastUse(folder: string): Date | null {
  const names = listContents(folder);
  if (names.length === 0) return null;
  const dated = names.includes(USED) ? [USED] : names;
  return new Date(
    Math.max(...dated.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)),
  );
}

const listContents = (folder: string) =>
  namesIn(folder).filter((name) => name !== LEARNED && name !== 'lock');

/** Bytes of the files below a path that are not in `seen`; adds them, by their number. */
function measureSize(path: string, seen: Set<number>): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || seen.has(stats.ino)) return 0;
  if (stats.isDirectory())
    return namesIn(path).reduce((sum, name) => sum + measureSize(join(path, name), seen), 0);
  seen.add(stats.ino);
  return stats.size;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
