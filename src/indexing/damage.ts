/** Takes an index out of force whose files turned out to be damaged, so that the next run makes it afresh. */

import { type Directory, IndexError, readManifest, SEGMENT_SUFFIX } from '#index';

/** Waiting for another writer, ms: as long as a run waits. */
const PATIENCE_MS = 30_000;

/** True for what is mended by making the index again. */
export function isDamage(error: unknown): error is IndexError {
  return error instanceof IndexError && (error.code === 'INDEX_DAMAGED' || error.code === 'INDEX_MISSING');
}

/**
 * Removes the segments of that generation. Nothing happens where another process has put a newer one in force
 * meanwhile. Readers keep what they hold open. Throws `INDEX_LOCKED` or `INDEX_WRITE`.
 */
export async function discardIndex(directory: Directory, generation: number): Promise<void> {
  const unlock = await directory.lock(PATIENCE_MS);
  try {
    if (generationOf(directory) === generation) removeSegments(directory);
  } finally {
    await unlock();
  }
}

/** For the writer alone. A manifest without its segments is refused by whoever opens the index next. */
export function removeSegments(directory: Directory): void {
  for (const name of directory.list()) if (name.endsWith(SEGMENT_SUFFIX)) directory.remove(name);
}

/** The generation in force; null where there is none that can be told. */
export function generationOf(directory: Directory): number | null {
  try {
    return readManifest(directory)?.generation ?? null;
  } catch (error) {
    if (error instanceof IndexError) return null;
    throw error;
  }
}
