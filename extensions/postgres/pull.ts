/**
 * Keeps a directory equal to the newest published generation: fetches the files that it lacks, checks their digests, and writes
 * `CURRENT` last. A reader of the directory sees the old generation or the new one.
 */

import { createHash } from 'node:crypto';
import {
  type Directory,
  type OpenFile,
  readJson,
  readWhole,
  writeJson,
  writeWhole,
} from '../../index/directory/directory.ts';
import { IndexError } from '../../index/errors.ts';
import { SEGMENT_SUFFIX } from '../../index/segment/format.ts';
import { sha256Of } from '../../src/skills/digest.ts';
import {
  damaged,
  type IndexFile,
  type IndexStore,
  isStoreError,
  type PublishedIndex,
  type StoredObject,
  type WriteBytes,
} from './index-store.ts';
import { type RemoteFile, writeOutline } from './outline.ts';

const CURRENT = 'CURRENT';
const GRAPH_SUFFIX = '.hnsw';
/** Names and digests of the files that were checked, so that a restart does not read them all. */
const HELD = 'held.json';
/** Bytes of a file that are read at once. */
const BLOCK = 2 ** 20;
/** A generation may be collected while it is being fetched: then there is a newer one. */
const TRIES = 3;

/** Where outlines of segments come from, for gateways that search in the database. */
export interface OutlineSource {
  /** Makes these segments searchable. Rejects with `StoreError` where they cannot be. */
  open(names: readonly string[]): Promise<void>;
  file(object: StoredObject): RemoteFile;
}

/**
 * Returns the newest generation, which the directory now holds; null if there is none. Rejects with `StoreError`, or `IndexError` where
 * the directory cannot be written: it then holds what it held. With `outlines`, it holds the outlines of segments instead.
 */
export async function pull(
  store: Pick<IndexStore, 'newest' | 'fetch'>,
  line: string,
  directory: Directory,
  outlines: OutlineSource | null = null,
): Promise<PublishedIndex | null> {
  for (let tries = 1; ; tries += 1) {
    const newest = await store.newest(line);
    if (newest === null) return null;
    try {
      await copy(store, newest, directory, outlines);
      return newest;
    } catch (error) {
      if (!isStoreError(error, 'STORE_DAMAGED') || tries === TRIES) throw error;
    }
  }
}

async function copy(
  store: Pick<IndexStore, 'fetch'>,
  { files: published }: PublishedIndex,
  directory: Directory,
  outlines: OutlineSource | null,
): Promise<void> {
  const held = readHeld(directory);
  const isSegment = ({ name }: IndexFile) => name.endsWith(SEGMENT_SUFFIX);
  // Graphs are in the database, too.
  const files = published.filter((file) => outlines === null || !file.name.endsWith(GRAPH_SUFFIX));
  await outlines?.open(files.filter(isSegment).map(({ name }) => name));
  const current = files.find(({ name }) => name === CURRENT);
  const present = new Set(directory.list());
  if (current === undefined) return;
  if (present.has(CURRENT) && sha256Of(readWhole(directory, CURRENT)) === current.sha256) return;
  const others = files.filter(({ name }) => name !== CURRENT);
  for (const file of others) {
    const isOutline = outlines !== null && isSegment(file);
    const mark = isOutline ? `outline ${file.sha256}` : file.sha256;
    const isHeld = held.get(file.name) === mark && present.has(file.name);
    if (!isHeld && isOutline) await writeOutline(directory, file.name, outlines.file(file));
    else if (!isHeld) await fetchInto(store, file, directory);
    else continue;
    // What was fetched stays fetched, also if the next file cannot be.
    writeHeld(directory, held.set(file.name, mark));
  }
  const bytes = await fetchWhole(store, current);
  writeWhole(directory, CURRENT, bytes);
  const next = new Map(others.map(({ name }) => [name, held.get(name) ?? '']));
  writeHeld(directory, next);
  // Open readers keep the files of their generation.
  for (const name of held.keys()) if (!next.has(name)) removeIfPossible(directory, name);
}

/** The store, which takes from a directory that was pulled before what that one holds. */
export function withHeld(
  store: Pick<IndexStore, 'newest' | 'fetch'>,
  directory: Directory,
): Pick<IndexStore, 'newest' | 'fetch'> {
  const names = new Map(Array.from(readHeld(directory), ([name, sha256]) => [sha256, name]));
  return {
    newest: (line) => store.newest(line),
    async fetch(object, write) {
      const name = names.get(object.sha256);
      // Once: what turns out to be damaged is fetched.
      names.delete(object.sha256);
      const file = name === undefined ? null : openIfThere(directory, name);
      if (file === null) return store.fetch(object, write);
      try {
        for (let at = 0; at < file.size; at += BLOCK) {
          const block = Buffer.allocUnsafe(Math.min(BLOCK, file.size - at));
          file.readInto(at, block);
          await write(at, block);
        }
      } finally {
        file.close();
      }
    },
  };
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
    throw damaged(object.sha256, 'has other bytes than its digest says');
}

function writeHeld(directory: Directory, held: ReadonlyMap<string, string>): void {
  writeJson(directory, HELD, Object.fromEntries(held));
}

function readHeld(directory: Directory): Map<string, string> {
  const held = readJson(directory, HELD);
  return held === null || typeof held !== 'object' ? new Map() : new Map(Object.entries(held));
}

function openIfThere(directory: Directory, name: string): OpenFile | null {
  try {
    return directory.open(name);
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
    return null;
  }
}

/** Windows does not remove a file that is open. It stays until the folder is cleared. */
function removeIfPossible(directory: Directory, name: string): void {
  try {
    directory.remove(name);
  } catch {}
}
