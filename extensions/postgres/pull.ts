/**
 * Keeps a directory equal to the newest published generation: fetches the files that it lacks, checks their digests, and writes
 * `CURRENT` last. A reader of the directory sees the old generation or the new one.
 */

import { createHash } from 'node:crypto';
import {
  type Directory,
  readJson,
  readWhole,
  writeJson,
  writeWhole,
} from '../../index/directory/directory.ts';
import { IndexError } from '../../index/errors.ts';
import { hashBytes } from '../../src/skills/digest.ts';
import {
  damaged,
  type IndexFile,
  type IndexStore,
  isStoreError,
  type PublishedIndex,
  type StoredObject,
  type WriteBytes,
} from './index-store.ts';

const CURRENT = 'CURRENT';
/** Names and digests of the files that were checked, so that a restart does not read them all. */
const HELD = 'held.json';
/** A generation may be collected while it is being fetched: then there is a newer one. */
const TRIES = 3;

/**
 * Returns the newest generation, which the directory now holds; null if there is none. What `copy` holds, another directory that was
 * pulled, is taken from there. Rejects with `StoreError`, or `IndexError` where
 * the directory cannot be written: it then holds what it held.
 */
export async function pull(
  store: Pick<IndexStore, 'newest' | 'fetch'>,
  line: string,
  directory: Directory,
  copy: Directory | null = null,
): Promise<PublishedIndex | null> {
  const from = copy && { directory: copy, held: readHeld(copy) };
  for (let tries = 1; ; tries += 1) {
    const newest = await store.newest(line);
    if (newest === null) return null;
    try {
      await copyFiles(store, newest, directory, from);
      return newest;
    } catch (error) {
      if (!isStoreError(error, 'STORE_DAMAGED') || tries === TRIES) throw error;
    }
  }
}

interface Lent {
  readonly directory: Directory;
  readonly held: ReadonlyMap<string, string>;
}

async function copyFiles(
  store: Pick<IndexStore, 'fetch'>,
  { files }: PublishedIndex,
  directory: Directory,
  from: Lent | null,
): Promise<void> {
  const held = readHeld(directory);
  const current = files.find(({ name }) => name === CURRENT);
  const present = new Set(directory.list());
  if (current === undefined) return;
  if (present.has(CURRENT) && hashBytes(readWhole(directory, CURRENT)) === current.sha256) return;
  const others = files.filter(({ name }) => name !== CURRENT);
  for (const file of others) {
    if (held.get(file.name) === file.sha256 && present.has(file.name)) continue;
    if (!isTaken(directory, from, file)) await fetchInto(store, file, directory);
    // What was fetched stays fetched, also if the next file cannot be.
    writeHeld(directory, held.set(file.name, file.sha256));
  }
  const bytes = await fetchWhole(store, current);
  writeWhole(directory, CURRENT, bytes);
  const next = new Map(others.map(({ name }) => [name, held.get(name) ?? '']));
  writeHeld(directory, next);
  // Open readers keep the files of their generation.
  for (const name of held.keys()) if (!next.has(name)) removeIfPossible(directory, name);
}

/** Whether a file was taken from a directory that was pulled before: its digest was checked then, and readers check what they read. */
function isTaken(directory: Directory, from: Lent | null, { name, sha256, size }: IndexFile): boolean {
  if (from?.held.get(name) !== sha256) return false;
  try {
    const file = from.directory.open(name);
    file.close();
    if (file.size !== size) return false;
    directory.take(from.directory, name);
    return true;
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
    return false;
  }
}

/** Makes the next pull fetch and check all files of the index, also those that the directory holds. */
export function forget(directory: Directory): void {
  directory.remove(HELD);
  directory.remove(CURRENT);
}

async function fetchInto(
  store: Pick<IndexStore, 'fetch'>,
  file: IndexFile,
  directory: Directory,
): Promise<void> {
  const sink = directory.create(file.name);
  try {
    // At its last byte first: a directory in memory then takes exactly the space that the file needs.
    if (file.size > 0) sink.writeAt(file.size - 1, Uint8Array.of(0));
    await verified(store, file, (position, bytes) => sink.writeAsync(position, bytes));
    sink.commit();
  } finally {
    sink.abandon();
  }
}

/** The bytes of an object, checked. */
export async function fetchWhole(
  store: Pick<IndexStore, 'fetch'>,
  object: StoredObject,
): Promise<Uint8Array> {
  const whole = new Uint8Array(object.size);
  await verified(store, object, async (position, bytes) => whole.set(bytes, position));
  return whole;
}

/** Fetches an object and checks its digest. */
async function verified(
  store: Pick<IndexStore, 'fetch'>,
  object: StoredObject,
  write: WriteBytes,
): Promise<void> {
  const hash = createHash('sha256');
  let bytesRead = 0;
  await store.fetch(object, async (position, bytes) => {
    const written = write(position, bytes);
    // Meanwhile.
    hash.update(bytes);
    bytesRead += bytes.length;
    await written;
  });
  if (bytesRead !== object.size || hash.digest('hex') !== object.sha256)
    throw damaged(object.sha256, 'does not match its digest');
}

function writeHeld(directory: Directory, held: ReadonlyMap<string, string>): void {
  writeJson(directory, HELD, Object.fromEntries(held));
}

function readHeld(directory: Directory): Map<string, string> {
  const held = readJson(directory, HELD);
  return held === null || typeof held !== 'object' ? new Map() : new Map(Object.entries(held));
}

/** Windows does not remove a file that is open. It stays until the folder is cleared. */
function removeIfPossible(directory: Directory, name: string): void {
  try {
    directory.remove(name);
  } catch {}
}
