/**
 * Work on the index while it is served: check the folders, index what changed, switch to the new generation, compact.
 * `schedule.ts` decides when; `library.ts` decides what a call waits for.
 */

import { IndexError } from '../../index/errors.ts';
import { identityOf } from '../../index/manifest.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { errorMessage } from '../base/errors.ts';
import { type CatalogSnapshot, joinKept, readCatalog } from '../sources/scan/catalog.ts';
import { readChangedSubtrees } from '../sources/scan/changed-subtree.ts';
import { isUpToDate } from './indexing/baseline.ts';
import { committedIn } from './indexing/damage.ts';
import { compactIndex, readIndexed, runIncremental } from './indexing/incremental.ts';
import type { BackgroundIndexing, LibraryOptions } from './indexing/options.ts';
import type { IndexReport } from './indexing/report.ts';
import { purgeFrom, runIndexing } from './indexing/run.ts';
import type { Schedule } from './schedule.ts';
import type { Snapshots } from './snapshots.ts';

export class Maintenance {
  readonly #options: LibraryOptions;
  readonly #snapshots: Snapshots;
  readonly #schedule: Schedule;
  readonly #closing = new AbortController();
  #running: Promise<IndexReport> | null = null;
  /** Never rejects. */
  #compacting: Promise<void> | null = null;
  #hasCheckedAll = false;
  /** The count of changes that the active run covers. */
  #covered = 0;
  /** Messages logged since the last successful check. */
  readonly #logged = new Set<string>();

  constructor(options: LibraryOptions, snapshots: Snapshots, schedule: Schedule) {
    this.#options = options;
    this.#snapshots = snapshots;
    this.#schedule = schedule;
  }

  /** The active indexing run. */
  get running(): Promise<IndexReport> | null {
    return this.#running;
  }

  /** Whether segments are being merged or the graph is being built, which a check waits for. */
  get isCompacting(): boolean {
    return this.#compacting !== null;
  }

  /** Whether all folders were checked since the start. Until then, what changed before it may not be found. */
  get hasCheckedAll(): boolean {
    return this.#hasCheckedAll;
  }

  /** Indexes the given catalog, or reads it first; joins the active run if there is one. */
  run(catalog: CatalogSnapshot | null = null): Promise<IndexReport> {
    this.#running ??= this.#index(catalog).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Begins to rewrite segments made before that time, ms since 1970, that hold removed documents. Call while no check is active. */
  purge(before: number): void {
    const segments = this.#reader?.manifest.segments ?? [];
    const isIdle = this.#running === null && this.#compacting === null;
    if (isIdle && purgeFrom(segments, before) !== null) this.#compact(before);
  }

  /** Aborts when the library closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Stops reading catalogs and logging. An active run fails when its worker pool is closed. */
  close(): void {
    this.#closing.abort();
  }

  get #reader(): Reader | null {
    return this.#snapshots.current;
  }

  /** Finds and indexes changes. Call one at a time. Never rejects: on failure the present snapshot keeps answering. */
  async check(): Promise<void> {
    try {
      do {
        const { paths, upTo } = this.#schedule.take();
        // An earlier run may have missed what this check finds, and the two cannot write at the same time.
        await this.#running?.catch(() => {});
        await this.#compacting;
        await this.#adopt();
        this.#covered = upTo;
        if ((paths !== null && (await this.#checkPaths(paths))) || (await this.#checkAll()))
          this.#schedule.done(upTo);
      } while (this.#schedule.hasMore);
      this.#logged.clear();
    } catch (error) {
      this.#schedule.retryAll();
      this.#logOnce('The skills could not be checked for changes', error);
    } finally {
      this.#schedule.end();
    }
  }

  /** Updates the index with what is at these paths; false where only a check of everything can. */
  async #checkPaths(paths: readonly string[], retry = true): Promise<boolean> {
    const { sources, qualifyIds, directory } = this.#options;
    this.#schedule.begin('paths');
    const reader = this.#reader;
    const part =
      reader === null ? null : readChangedSubtrees(sources, paths, readIndexed(reader), qualifyIds);
    if (reader === null || part === null) return false;
    if (part.folders.length + part.known.length === 0) return true;
    const { folders } = await joinKept(part.folders, sources);
    const report = await runIncremental({ ...part, folders }, reader, this.#options);
    if (report === null) {
      // Another process committed first. If it serves the same folders, nothing is left to do.
      if (!retry || committedIn(directory) === identityOf(reader.manifest)) return false;
      await this.#adopt();
      return this.#checkPaths(paths, false);
    }
    await this.#adopt();
    if (report.needsCompaction) this.#compact();
    return true;
  }

  /** Updates the index with everything; false where that has to be tried again. */
  async #checkAll(): Promise<boolean> {
    const { sources, now, directory, vectors, qualifyIds, background } = this.#options;
    const started = now();
    this.#schedule.begin('everything');
    const reader = this.#reader;
    if (background !== undefined && reader !== null && this.#schedule.isSlow(reader.documents)) {
      const changed = await this.#runInBackground(background);
      if (!changed) this.#schedule.measured(now() - started);
      this.#hasCheckedAll = true;
      return true;
    }
    const catalog = await readCatalog(sources, this.#closing.signal, qualifyIds);
    this.#schedule.measured(now() - started);
    // A run that began meanwhile may have read the folders before this check did.
    if (this.#running !== null) {
      this.#schedule.retryAll();
      await this.#running.catch(() => {});
      return false;
    }
    const manifest = this.#reader?.manifest;
    if (manifest === undefined || !(await isUpToDate(directory, manifest, catalog, vectors)))
      await this.run(catalog);
    this.#hasCheckedAll = true;
    return true;
  }

  /** Updates the index in another thread; true where anything had changed. */
  async #runInBackground(background: BackgroundIndexing): Promise<boolean> {
    const { onProgress } = this.#options;
    const report = await background.run({ onProgress, onCommit: () => this.#committed() });
    await this.#adopt();
    return report !== null;
  }

  /** Switches to the generation that this or another process committed; rebuilds one that cannot be served. */
  async #adopt(): Promise<void> {
    // Without a snapshot, the next call opens or builds one.
    if (this.#reader === null) return;
    try {
      this.#snapshots.adopt();
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
      this.#logOnce('The index is rebuilt', error);
      await this.run();
    }
  }

  /** Serves what a run has committed, which goes on to merge segments. A first generation is served once that is done. */
  #committed(): void {
    if (this.#reader === null) return;
    try {
      this.#snapshots.adopt();
      this.#schedule.done(this.#covered);
    } catch (error) {
      // The run adopts again at its end.
      if (!(error instanceof IndexError)) throw error;
    }
  }

  /** Merges segments and builds the graph, after the change that makes this necessary has been committed. */
  #compact(purgeBefore?: number): void {
    this.#compacting = compactIndex(this.#options, purgeBefore)
      .then(() => this.#snapshots.adopt())
      .catch((error: unknown) => {
        this.#schedule.retryAll();
        this.#logOnce('The index could not be compacted', error);
      })
      .finally(() => {
        this.#compacting = null;
      });
  }

  /** Logs a message once until a check succeeds. */
  #logOnce(failure: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const message = `${failure}: ${errorMessage(error)}`;
    if (!this.#logged.has(message)) this.#options.log(message);
    this.#logged.add(message);
  }

  async #index(given: CatalogSnapshot | null): Promise<IndexReport> {
    const { sources, onProgress, ...options } = this.#options;
    await this.#compacting;
    await this.#snapshots.discardDamaged();
    onProgress?.({ stage: 'scan', done: 0, total: 1 });
    const taken = given === null ? this.#schedule.take() : null;
    this.#covered = taken?.upTo ?? this.#covered;
    try {
      const catalog = given ?? (await readCatalog(sources, this.#closing.signal, options.qualifyIds));
      onProgress?.({ stage: 'scan', done: 1, total: 1 });
      const report = await runIndexing(catalog, {
        ...options,
        onProgress,
        onCommit: () => this.#committed(),
      });
      this.#schedule.begin('everything');
      this.#snapshots.adopt();
      this.#hasCheckedAll = true;
      if (taken !== null) this.#schedule.done(taken.upTo);
      return report;
    } catch (error) {
      if (taken !== null) this.#schedule.retryAll();
      throw error;
    }
  }
}
