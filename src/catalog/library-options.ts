/** What a library needs: sources, an index folder, a model, threads, a clock. */

import type { Directory } from '../../index/directory/directory.ts';
import type { Embedder } from '../../index/embedder.ts';
import type { VectorMode } from '../../index/vectors/choose.ts';
import type { Learning } from '../search/learned.ts';
import type { Source } from '../sources/source.ts';
import type { BackgroundIndexing } from './indexing/background-indexing.ts';
import type { Progress } from './indexing/report.ts';
import type { SharedIndex } from './indexing/run-options.ts';
import type { WorkerPool } from './indexing/worker-pool.ts';

export interface RecentCheck {
  /** Maximum age of a check that is used again, ms; more where a check takes more than a hundredth of it. 0: none is used. */
  readonly maxAgeMs: number;
  /** A check that is expected to take at most this long, ms, is always made. */
  readonly quickMs: number;
  /** Names the folders and how they are read. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly time: () => number;
}

export interface LibraryOptions {
  /** In order of precedence: of identical skills, the first source's is shown. */
  readonly sources: readonly Source[];
  readonly directory: Directory;
  readonly embedder: Embedder;
  readonly vectors: VectorMode;
  /** Why words alone are searched, without the embedder; absent where the embedder is the configured model. */
  readonly note?: string | undefined;
  readonly workers: WorkerPool;
  /** The index of the skills that other catalogs have as well; absent: all are indexed here. */
  readonly shared?: SharedIndex | undefined;
  /**
   * True puts the source's name before every id. A policy that hides skills needs this: an id must not depend on what
   * another source holds. Default false: only ids that several sources share are qualified.
   */
  readonly qualifyIds?: boolean;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Longest time that a call waits for a check and the run it starts, ms, while there is an index to answer from. A call
   * does not wait at all for a check that is expected to take longer. Default 250; Infinity always waits.
   */
  readonly patienceMs?: number;
  /** Answers from a large index whose folders were checked recently, without another check. Absent: always checks. */
  readonly recent?: RecentCheck;
  /** Others are served once the index is published, which the caller reports to `changes`. Default false: each commit is served. */
  readonly isPublished?: boolean;
  /** Called while answers come from the index. */
  readonly use?: { begin(): void; close(): Promise<void> } | undefined;
  /** What is pinned; see `pinned.ts`. */
  readonly pins?: readonly string[];
  /** Updates the index in its own thread where no call would wait for a check. */
  readonly background?: BackgroundIndexing;
  /** What was learned of the skills, where learning is on. The library flushes it when it closes. */
  readonly learning?: Learning;
}
