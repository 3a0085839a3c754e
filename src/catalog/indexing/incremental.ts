/** An indexing run over some folders of the catalog. Its cost does not depend on the size of the rest. */

import { identityOf } from '../../../index/manifest.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import { lacksHnsw } from '../../../index/segment/graph.ts';
import type { IndexWriter } from '../../../index/writer.ts';
import type { ChangedSubtrees, IndexedSkills } from '../../sources/scan/changed-subtree.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { withWriter } from './damage.ts';
import type { RunOptions } from './options.ts';
import { type IndexReport, toReport } from './report.ts';
import { compact, updateIndex } from './run.ts';

interface IncrementalReport extends IndexReport {
  /** Whether `compactIndex` has work to do. Its time grows with the index, so it runs after the change is committed. */
  readonly needsCompaction: boolean;
}

/** Ids and sources that an open index holds, for reading a part of the catalog. */
export function readIndexed(reader: Reader): IndexedSkills {
  return {
    sourceOf(id) {
      const ordinal = reader.ordinalOf(id);
      // Written by `readDocument`.
      return ordinal === null ? null : (reader.payload(ordinal) as CatalogEntry).source;
    },
    below: (id) => reader.keysBelow(`${id}/`),
  };
}

/**
 * Updates the index with a part of the catalog, which was read with `knownOf(reader)`. Returns null and does nothing where
 * the index has another generation by now, cannot be continued, or holds segments of a killed run: then a full run is
 * needed. The report counts the part only. Throws as `runIndexing` does, and for damage.
 *
 * Stamps are not updated: the next full run opens these skills once more and finds them unchanged.
 */
export async function runIncremental(
  part: ChangedSubtrees,
  reader: Reader,
  options: RunOptions,
): Promise<IncrementalReport | null> {
  const { now } = options;
  const started = now();
  const indexed = new Map<string, string>();
  for (const id of part.known) {
    const ordinal = reader.ordinalOf(id);
    if (ordinal !== null) indexed.set(id, reader.digest(ordinal));
  }
  return withWriter(options, async (writer) => {
    const { manifest } = writer;
    const isSame = manifest !== null && identityOf(manifest) === identityOf(reader.manifest);
    if (!isSame || writer.leftovers().length > 0) return null;
    const before = { indexed, adopted: [], stamps: new Map() };
    const { manifest: committed, counts } = await updateIndex(writer, part, before, options);
    const needsCompaction = await isFragmented(writer, options);
    return { ...toReport(counts, committed, null), needsCompaction, tookMs: now() - started };
  });
}

/** Does the work that `runIncremental` reported as `needsCompaction`, or that `purgeFrom` found. Throws as `runIndexing` does, and for damage. */
export function compactIndex(options: RunOptions, purgeBefore?: number): Promise<void> {
  return withWriter(options, async (writer) => {
    if (writer.manifest !== null) await compact(writer, writer.manifest, options, purgeBefore);
  });
}

/** Whether `compact` has work to do. */
async function isFragmented(
  { manifest, wantsCompaction }: IndexWriter,
  { directory, vectors }: RunOptions,
): Promise<boolean> {
  // Whether a graph is whole is left to the full run: reading it takes as long as the index is large.
  return (
    wantsCompaction !== null || (manifest?.hnsw === null && (await lacksHnsw(directory, manifest, vectors)))
  );
}
