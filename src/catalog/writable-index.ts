/**
 * Where an index is kept: in its folder; in memory where that cannot be written and the catalog is small. A read-only home or
 * a full disk is then no reason to go on without skills.
 */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Directory } from '../../index/directory/directory.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import { readManifest } from '../../index/manifest.ts';
import { errorMessage, systemCode } from '../base/errors.ts';
import { readCatalog } from '../sources/scan/catalog.ts';
import type { Source } from '../sources/source.ts';
import { indexDirectory } from './index-directory.ts';
import { isUpToDate } from './indexing/baseline.ts';

/** Skills that are indexed in memory, at each start: a quarter of a minute on a slow machine. */
const MAX_SKILLS = 2_000;
/** Bytes of the file by which a folder is tried: a disk with less room is full. */
const PROBE_BYTES = 2 ** 18;

interface IndexPlace {
  readonly directory: Directory;
  /** Why the index is in memory; null if it is on disk. */
  readonly note: string | null;
}

export async function openIndexFolder(folder: string, sources: readonly Source[]): Promise<IndexPlace> {
  const onDisk: IndexPlace = { directory: indexDirectory(folder), note: null };
  const reason = whyNotWritable(folder);
  if (reason === null) return onDisk;
  const catalog = await readCatalog(sources);
  const manifest = readManifest(onDisk.directory);
  const isCurrent = manifest !== null && (await isUpToDate(onDisk.directory, manifest, catalog, 'exact'));
  if (isCurrent || catalog.folders.length > MAX_SKILLS) return onDisk;
  return {
    directory: memoryDirectory(),
    note: `The index is in memory and made again at each start: the folder ${folder} cannot be written (${reason}).`,
  };
}

/** Null if an index can be written to the folder, or if what is there is a file, which is a mistake to report. */
export function whyNotWritable(folder: string): string | null {
  const probe = join(folder, `probe-${process.pid}`);
  let made: string | undefined;
  try {
    made = mkdirSync(folder, { recursive: true });
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES));
    return null;
  } catch (error) {
    return ['EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '') ? null : errorMessage(error);
  } finally {
    try {
      rmSync(made ?? probe, { recursive: true, force: true });
    } catch {}
  }
}
