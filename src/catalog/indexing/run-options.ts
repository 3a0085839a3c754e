/** What an indexing run needs, and the lock that it holds while it changes an index. */

import type { Directory } from '../../../index/directory/directory.ts';
import type { Embedder } from '../../../index/embedder.ts';
import type { VectorMode } from '../../../index/vectors/choose.ts';
import { IndexWriter } from '../../../index/writer.ts';
import { PASSAGE_VERSION } from '../../search/passages/version.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';
import { isDamage, removeSegments } from './damage.ts';
import type { Progress } from './report.ts';
import type { WorkerPool } from './worker-pool.ts';

/** The index of skills that several catalogs share (`shared.ts`). */
export interface SharedIndex {
  readonly directory: Directory;
  /** Names of the sources whose skills it holds. */
  readonly sources: ReadonlySet<string>;
  /** Reads these sources. */
  readonly catalog: () => Promise<CatalogSnapshot>;
  /** Work on its directory. */
  readonly workers: WorkerPool;
}

export interface RunOptions {
  readonly directory: Directory;
  readonly embedder: Embedder;
  readonly vectors: VectorMode;
  readonly workers: WorkerPool;
  /** Milliseconds, monotonic; for the report. */
  readonly now: () => number;
  readonly onProgress?: (progress: Progress) => void;
  /** Called once the changes are committed, before segments are merged and the graph is built, which takes longer. */
  readonly onCommit?: () => void;
  /** The index of the skills that other catalogs have as well. Absent: all skills are indexed here. */
  readonly shared?: SharedIndex | undefined;
  /** What is pinned, for the summary that is written with the index. */
  readonly pins?: readonly string[] | undefined;
  /** False leaves merging small segments to a later run. Default true. */
  readonly compact?: boolean;
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
