/** The lock that a run holds while it changes an index, and how a damaged one is removed, so that the next run builds a new one. */

import type { Directory } from '../../../index/directory/directory.ts';
import { IndexError } from '../../../index/errors.ts';
import { type IndexManifest, identityOf, readManifest } from '../../../index/manifest.ts';
import { SEGMENT_SUFFIX } from '../../../index/segment/format.ts';
import { IndexWriter } from '../../../index/writer.ts';
import { PASSAGE_VERSION } from '../../search/passages/version.ts';
import type { RunOptions } from './options.ts';

/** Longest wait for another writer, ms: as long as a run waits. */
const LOCK_TIMEOUT_MS = 30_000;

/** True for errors that a rebuild of the index fixes. */
export function isDamage(error: unknown): error is IndexError {
  return error instanceof IndexError && (error.code === 'INDEX_DAMAGED' || error.code === 'INDEX_MISSING');
}

/**
 * Removes the segments of the generation with that identity. Does nothing where another process has committed a newer one. Open
 * readers keep their files. Throws `INDEX_LOCKED` or `INDEX_WRITE`.
 */
export async function discardIndex(directory: Directory, identity: string): Promise<void> {
  const unlock = await directory.lock(LOCK_TIMEOUT_MS);
  try {
    if (committedIn(directory) === identity) removeSegments(directory);
  } finally {
    await unlock();
  }
}

/** Only for the holder of the lock. A manifest without its segments cannot be opened. */
function removeSegments(directory: Directory): void {
  for (const name of directory.list()) if (name.endsWith(SEGMENT_SUFFIX)) directory.remove(name);
}

/** Identity of the committed generation; null where there is none or the manifest cannot be read. */
export const committedIn = (directory: Directory): string | null => {
  const manifest = manifestIn(directory);
  return manifest === null ? null : identityOf(manifest);
};

/** Number of the committed generation; null where there is none or the manifest cannot be read. */
export const readGeneration = (directory: Directory): number | null =>
  manifestIn(directory)?.generation ?? null;

/** The committed manifest; null where there is none or it cannot be read. */
export function manifestIn(directory: Directory): IndexManifest | null {
  try {
    return readManifest(directory);
  } catch (error) {
    if (error instanceof IndexError) return null;
    throw error;
  }
}

/**
 * Runs `use` as the only writer. If `use` finds damage, removes the segments, so that the next run rebuilds the index. If
 * `use` returns null, keeps the finished segments of an interrupted run for the next one.
 */
export async function withWriter<Result>(
  { directory, embedder }: RunOptions,
  use: (writer: IndexWriter) => Promise<Result>,
): Promise<Result> {
  const writer = await IndexWriter.open(directory, { embedder, recipe: PASSAGE_VERSION });
  let result: Result;
  try {
    result = await use(writer);
  } catch (error) {
    if (isDamage(error)) removeSegments(directory);
    await writer.release();
    throw error;
  }
  await (result === null ? writer.release() : writer.close());
  return result;
}
