/** What an indexing run needs, and a library that runs it. */

import type { Directory } from '../../../index/directory/directory.ts';
import type { Embedder } from '../../../index/embedder.ts';
import type { VectorMode } from '../../../index/vectors/choose.ts';
import type { Learning } from '../../search/learned.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';
import type { Source } from '../../sources/source.ts';
import type { IndexReport, Progress } from './report.ts';
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
  /** Others serve it, and summarise it, once it is published, which the caller reports to `changes`. Default false. */
  readonly isPublished?: boolean;
}

export interface BackgroundIndexing {
  /** Checks the folders and indexes what changed; null where nothing had. Rejects as `runIndexing` does. */
  run(options: Pick<RunOptions, 'onProgress' | 'onCommit'>): Promise<IndexReport | null>;
  /** Aborts the active run, which releases its lock first. */
  close(): Promise<void>;
}

/** What a library needs: as a run, and sources, a log, and when to look at the folders. */
export interface LibraryOptions extends Omit<RunOptions, 'onCommit'> {
  /** In order of precedence: of identical skills, the first source's is shown. */
  readonly sources: readonly Source[];
  /** Why words alone are searched, without the embedder; absent where the embedder is the configured model. */
  readonly note?: string | undefined;
  /**
   * True puts the source's name before every id. A policy that hides skills needs this: an id must not depend on what
   * another source holds. Default false: only ids that several sources share are qualified.
   */
  readonly qualifyIds?: boolean;
  readonly log: (message: string) => void;
  /**
   * Longest time that a call waits for a check and the run it starts, ms, while there is an index to answer from. A call
   * does not wait at all for a check that is expected to take longer. Default 250; Infinity always waits.
   */
  readonly patienceMs?: number;
  /** Called with each answer from the index. */
  readonly recordUse?: (() => void) | undefined;
  /** Updates the index in its own thread where no call would wait for a check. */
  readonly background?: BackgroundIndexing;
  /** What was learned of the skills, where learning is on. The library flushes it when it closes. */
  readonly learning?: Learning;
}
