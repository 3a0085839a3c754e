/** An indexing run over a part of the catalog: costs what that part costs, however large the rest is. */

import { type IndexWriter, lacksHnsw, type Reader } from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { CatalogPart, Known } from '../catalog/part.ts';
import { type IndexReport, reportOf } from './report.ts';
import { bringInLine, type RunOptions, tidy, writing } from './run.ts';

export interface PartReport extends IndexReport {
  /** Whether `tidyUp` has something to do. It takes as long as the index is large, so it is left to a quiet moment. */
  readonly untidy: boolean;
}

/** What an open index knows of the catalog that it was made of. */
export function knownOf(reader: Reader): Known {
  return {
    sourceOf(id) {
      const ordinal = ordinalOf(reader, id);
      // Written by our own indexing.
      return ordinal === null ? null : (reader.payload(ordinal) as CatalogEntry).source;
    },
    below: (id) => reader.keysBelow(`${id}/`),
  };
}

/**
 * Brings the index in line with a part, read with what `reader` knows. Null, and nothing is done, where the index has
 * moved on from that generation, is not to be continued, or a killed run left segments: then only a whole run can tell
 * what to do. Counts of the report are the part's. Throws as `runIndexing` does, and for damage.
 *
 * Stamps stay as they are: the next whole run opens these skills once more and finds them as the index has them.
 */
export async function runPart(
  part: CatalogPart,
  reader: Reader,
  options: RunOptions,
): Promise<PartReport | null> {
  const { now } = options;
  const started = now();
  const indexed = new Map<string, string>();
  for (const id of part.known) {
    const ordinal = ordinalOf(reader, id);
    if (ordinal !== null) indexed.set(id, reader.digest(ordinal));
  }
  return writing(options, async (writer) => {
    const { manifest } = writer;
    if (manifest?.generation !== reader.manifest.generation || writer.leftovers().length > 0) return null;
    const before = { indexed, adopted: [], stamps: new Map() };
    const { manifest: committed, counts } = await bringInLine(writer, part, before, options);
    const untidy = await isUntidy(writer, options);
    return { ...reportOf(counts, committed, null), untidy, tookMs: now() - started };
  });
}

/** Tidies an index that `runPart` left untidy. Throws as `runIndexing` does, and for damage. */
export function tidyUp(options: RunOptions): Promise<void> {
  return writing(options, async (writer) => {
    if (writer.manifest !== null) await tidy(writer, writer.manifest, options);
  });
}

/** Whether `tidy` would find something to do. */
async function isUntidy(
  { manifest, wantsCompaction }: IndexWriter,
  { directory, vectors }: RunOptions,
): Promise<boolean> {
  return wantsCompaction !== null || (manifest !== null && (await lacksHnsw(directory, manifest, vectors)));
}

const ordinalOf = (reader: Reader, id: string) =>
  reader.resolve(id).find((ordinal) => reader.key(ordinal) === id) ?? null;
