/**
 * The index of skills that several catalogs share: those at home, for all projects. It is kept up to date on its own, and the index
 * of a catalog continues it instead of indexing the same skills again: both have the same files, which lie on the disk once.
 * From then on each index changes by itself.
 */

import { IndexError } from '../../../index/errors.ts';
import type { IndexWriter } from '../../../index/writer.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';
import type { SkillFolder } from '../../sources/source.ts';
import { indexedBy, readStamps, type Stamp } from './baseline.ts';
import { committedIn, discardIndex, isDamage, withWriter } from './damage.ts';
import type { RunOptions, SharedIndex } from './options.ts';
import type { IndexReport } from './report.ts';

/** Part of the shared skills, from which the shared index is continued anew rather than indexing them here. */
const MAX_MISSING = 0.2;

/** What an index takes over from the shared one. */
export interface Inherited {
  /** Digests of its documents, by id. */
  readonly digests: ReadonlyMap<string, string>;
  readonly stamps: ReadonlyMap<string, Stamp>;
  /** Of the skills that were indexed for it. */
  readonly diagnostics: IndexReport['diagnostics'];
}

/** Whether so many of the shared skills are missing or changed here that the shared index should be continued. */
export function lacksShared(
  folders: readonly SkillFolder[],
  stamps: ReadonlyMap<string, Stamp>,
  { sources }: SharedIndex,
): boolean {
  const own = folders.filter(({ source }) => sources.has(source));
  const missing = own.filter(({ id, stamp }) => stamps.get(id)?.stamp !== stamp);
  return missing.length > MAX_MISSING * own.length;
}

/**
 * Updates the shared index with `run`, and makes the writer continue it. Null, and nothing changed for the writer, where there is
 * nothing to share or the shared index cannot be had now: another process writes it for long, or the disk refuses.
 */
export async function inherit(
  writer: IndexWriter,
  shared: SharedIndex,
  options: RunOptions,
  run: (catalog: CatalogSnapshot, options: RunOptions) => Promise<IndexReport>,
): Promise<Inherited | null> {
  const { directory, workers } = shared;
  const own = { ...options, directory, workers, shared: undefined, onCommit: undefined };
  try {
    const found = committedIn(directory);
    // Damage that was found here is in a file of both.
    if (found !== null && isDamage(writer.restarted)) await discardIndex(directory, found);
    const catalog = await shared.catalog();
    if (catalog.folders.length === 0) return null;
    const { diagnostics } = await run(catalog, own);
    return await withWriter(own, async ({ manifest }) => {
      if (manifest === null) return null;
      writer.continueFrom(directory, manifest);
      const stamps = readStamps(directory);
      return { digests: indexedBy(stamps, manifest, directory), stamps: stamps.byId, diagnostics };
    });
  } catch (error) {
    if (error instanceof IndexError) return null;
    throw error;
  }
}
