/**
 * An open catalog: which index snapshot a call gets, and what the call waits for. `snapshots.ts` holds the snapshot,
 * `schedule.ts` decides when to check the folders, `maintenance.ts` does the check and what follows from it.
 *
 * - A call waits for a quick check of the folders, so that the next search finds a saved file. One that missed waits longer.
 * - Where a watcher reports the changed paths, only the skills at those paths are checked, whatever the catalog's size.
 * - While there is an index to answer from, a call waits at most `patienceMs` for a rebuild, and does not wait for
 *   compaction after a change.
 * - A damaged index, or one of another model, is rebuilt with a message. It is never served.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { IndexError } from '../../index/errors.ts';
import { documentsOf } from '../../index/manifest.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { withTimeout } from '../base/timing.ts';
import type { Precedence } from '../search/copies.ts';
import type { Learning } from '../search/learned.ts';
import type { Searchable } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { ReadableFile, SourceOrigin } from '../sources/source.ts';
import { manifestIn } from './indexing/damage.ts';
import type { LibraryOptions } from './indexing/options.ts';
import type { IndexReport } from './indexing/report.ts';
import { Maintenance } from './maintenance.ts';
import { pinnedIn } from './pinned.ts';
import { Changes, Schedule } from './schedule.ts';
import { Snapshots } from './snapshots.ts';
import { readSummary, writeSummary } from './stored-summary.ts';
import { type CatalogSummary, summarise } from './summary.ts';
import type { Unindexed } from './unindexed.ts';

export type { LibraryOptions } from './indexing/options.ts';

/** Delay before a check that no call waits for, ms: it starts after the answer has been given. */
const DEFERRED_CHECK_MS = 1_000;
/** Default patience, ms: an agent does not notice it, and indexing one changed skill takes less. */
const PATIENCE_MS = 250;

/** How the snapshot of a call is chosen. */
export interface Freshness {
  /** Look at the folders even if that was done a moment ago. */
  readonly fresh?: boolean;
  /** Longest time to wait for the index to hold changes that are known, ms. Default: the library's patience. */
  readonly waitMs?: number;
}

/** What use cases need of a library, whole or restricted by a policy. */
export interface LibraryView extends Pick<Library, 'current' | 'summary' | 'onChange'> {
  filesOf(entry: Pick<CatalogEntry, 'source' | 'folder' | 'digest'>): Promise<readonly ReadableFile[]>;
  /** What is pinned. */
  readonly pins?: readonly string[];
  /** The skills of that name that the folders hold and the index does not yet. Absent where others index. */
  unindexed?(name: string, accepts?: (entry: CatalogEntry) => boolean): Promise<readonly CatalogEntry[]>;
}

/** What a server needs of a library: one that indexes, or a copy of an index that another process writes. */
export interface ServedLibrary
  extends LibraryView,
    Pick<Library, 'isOpen' | 'isWatched' | 'notice' | 'rebuild' | 'close'> {
  /** Where the skills of a source come from. */
  readonly originOf: (source: string) => SourceOrigin;
  /** Whether the skill file of an indexed skill is still there. Absent where the files are elsewhere. */
  readonly isThere?: (entry: Pick<CatalogEntry, 'folder' | 'file'>) => boolean;
}

export class Library {
  /** Of the folders, until they are served. */
  readonly changes: Changes;
  readonly #options: LibraryOptions;
  readonly #snapshots: Snapshots;
  readonly #precedence: Precedence;
  readonly #schedule: Schedule;
  readonly #maintenance: Maintenance;
  #unindexed: Promise<Unindexed> | null = null;
  /** Makes the watcher report what it has seen; null without a watcher. */
  #flushWatcher: (() => Promise<void>) | null = null;
  #checking: Promise<void> | null = null;
  #deferredCheck: NodeJS.Timeout | undefined;

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#snapshots = new Snapshots(options);
    const { patienceMs = PATIENCE_MS, now, isPublished } = options;
    this.changes = new Changes(now, isPublished);
    this.#schedule = new Schedule(this.changes, now, patienceMs);
    this.#maintenance = new Maintenance(options, this.#snapshots, this.#schedule);
    this.#precedence = new Map(options.sources.map(({ name }, at) => [name, at]));
  }

  /** Whether a watcher reports changes. If not, the folders are checked between calls. */
  get isWatched(): boolean {
    return this.#schedule.watch === 'active';
  }

  /** Whether there is a snapshot to answer from. If not, a call waits until one is made. */
  get isOpen(): boolean {
    return this.#reader !== null;
  }

  /**
   * The snapshot to answer from, updated first where that is quick. Builds the index where there is none.
   */
  async current({ fresh = false, waitMs }: Freshness = {}): Promise<Searchable> {
    if (this.#reader === null && this.#maintenance.running === null) this.#snapshots.open();
    if (this.#reader === null) await this.update();
    else {
      await this.#takeReports();
      if (waitMs !== undefined && this.#isChanging) await withTimeout(this.#check(), waitMs, () => {});
      else if (this.#checking !== null || this.#checkIsDue() || (fresh && this.#maintenance.running === null))
        await this.#bringUpToDate();
    }
    const reader = this.#reader;
    if (reader === null) throw new IndexError('INDEX_MISSING', 'There is no index and none could be made.');
    const { note, now, learning, recordUse } = this.#options;
    recordUse?.();
    const embedder = note === undefined ? this.#options.embedder : null;
    const index = {
      reader,
      embedder,
      note,
      isBehind: this.#isBehind,
      now,
      precedence: this.#precedence,
    };
    return learning === undefined ? index : { ...index, learned: learning };
  }

  /** What is pinned. */
  get pins(): readonly string[] | undefined {
    return this.#options.pins;
  }

  /** What was learned; undefined where learning is off. */
  get learning(): Learning | undefined {
    return this.#options.learning;
  }

  /**
   * The skills called by this id, the end of one, name or URI that are on disk and not in the index. Looks only where there may be
   * some: while changes are known, or where no watcher reports them.
   */
  async unindexed(
    name: string,
    accepts: (entry: CatalogEntry) => boolean = () => true,
  ): Promise<readonly CatalogEntry[]> {
    const reader = this.#reader;
    if (reader === null || (this.isWatched && !this.#isBehind)) return [];
    this.#unindexed ??= import('./unindexed.ts').then(
      (code) => new code.Unindexed(this.#options, this.#maintenance.closing),
    );
    return (await this.#unindexed).called(name, reader, accepts);
  }

  /** Where the skills of a source come from. */
  originOf(source: string): SourceOrigin {
    return this.#options.sources.find(({ name }) => name === source)?.origin ?? 'local';
  }

  isThere({ folder, file }: Pick<CatalogEntry, 'folder' | 'file'>): boolean {
    return existsSync(join(folder, file));
  }

  /** The files of a skill as its source lists them now, and so all that may be read of it; none if it is gone. */
  async filesOf({
    source,
    folder,
  }: Pick<CatalogEntry, 'source' | 'folder'>): Promise<readonly ReadableFile[]> {
    const own = this.#options.sources.find(({ name }) => name === source);
    return (await own?.filesOf(folder)) ?? [];
  }

  /** Indexes now, or joins the active run. */
  async update(): Promise<IndexReport> {
    const report = await this.#maintenance.run();
    // What changed meanwhile waits for no call.
    if (this.#schedule.hasMore && this.#reader !== null) void this.#check();
    return report;
  }

  /**
   * Reports a change on disk: by a watcher, or by a call that found a file different from the index. Checks the given
   * absolute paths, or everything without them.
   */
  notice(paths: readonly string[] | null = null): void {
    this.#schedule.note(paths);
    // Before the first call there is no snapshot to compare with, and that call checks everything.
    if (this.#reader !== null) void this.#check();
  }

  /**
   * A watcher is being set up; `watcherReady` or `watcherLost` follows. Both check all folders, so the check that no
   * call waits for is left to them.
   */
  watcherStarting(): void {
    this.#schedule.watch = 'starting';
  }

  /**
   * A watcher reports changes from now on. Changes before this were not reported: checks all folders now, then rarely. `flush` makes
   * it report at once what it has seen.
   */
  watcherReady(flush: (() => Promise<void>) | null = null): void {
    this.#schedule.watch = 'active';
    this.#flushWatcher = flush;
    this.notice();
  }

  /** No watcher reports changes any more: checks all folders now, then between calls. */
  watcherLost(): void {
    this.#schedule.watch = 'none';
    this.#flushWatcher = null;
    this.notice();
  }

  /** Rewrites, in the background, what holds text of removed skills and was written before that time, ms since 1970. */
  purge(before: number): void {
    if (this.#checking === null) this.#maintenance.purge(before);
  }

  /** Rebuilds the index, with a message: data of the present snapshot failed its checksum. */
  async rebuild(error: IndexError): Promise<void> {
    this.#snapshots.markDamaged(error);
    // An active run continues from the damaged data.
    await this.#maintenance.running?.catch(() => {});
    await this.update();
  }

  /**
   * What the catalog holds: as it is stored next to the index, where it was written for this generation. `atOnce` takes one of an
   * earlier generation too, since making one takes as long as several searches; what is pinned is of now.
   */
  async summary({ atOnce = false }: { readonly atOnce?: boolean } = {}): Promise<CatalogSummary> {
    const { directory, pins = [] } = this.#options;
    const manifest = manifestIn(directory);
    const stored = readSummary(directory);
    const isOfNow = stored?.summary.generation === manifest?.generation;
    if (stored !== null && isOfNow && isDeepStrictEqual(stored.pins, pins)) return stored.summary;
    const kept = isOfNow || atOnce ? stored?.summary : undefined;
    if (kept !== undefined && pins.length === 0 && manifest !== null)
      return { ...kept, skills: documentsOf(manifest), pinned: undefined };
    const { reader } = await this.current();
    const summary =
      kept === undefined
        ? await summarise(reader, pins)
        : { ...kept, skills: reader.documents, pinned: pinnedIn(reader, pins) };
    if (summary.generation === reader.manifest.generation) writeSummary(directory, { summary, pins });
    return summary;
  }

  /** Calls back after each new generation; returns how to stop. */
  onChange(listener: (generation: number) => void): () => void {
    return this.#snapshots.onChange(listener);
  }

  /** Closes all files and threads. Active calls may fail; the next process continues an active run. */
  async close(): Promise<void> {
    this.#maintenance.close();
    clearTimeout(this.#deferredCheck);
    this.#snapshots.close();
    const { workers, shared, background, learning } = this.#options;
    await Promise.all([workers.close(), shared?.workers.close(), background?.close(), learning?.flush()]);
  }

  get #reader(): Reader | null {
    return this.#snapshots.current;
  }

  get #skills(): number {
    return this.#reader?.documents ?? 0;
  }

  /** Whether skills may have changed since the snapshot. */
  get #isBehind(): boolean {
    return !this.#maintenance.hasCheckedAll || this.changes.status().pending > 0;
  }

  /** Whether changes are known, or may be found by an active check. */
  get #isChanging(): boolean {
    return this.#checking !== null || this.changes.status().pending > 0;
  }

  /** The system reports a change before the call that follows it, the watcher only after a pause: calls do not wait for that. */
  async #takeReports(): Promise<void> {
    if (this.#flushWatcher === null) return;
    await setImmediate();
    await withTimeout(this.#flushWatcher(), PATIENCE_MS, () => {});
  }

  #checkIsDue(): boolean {
    return this.#maintenance.running === null && this.#schedule.isDue(this.#skills);
  }

  /** Checks, and waits for the check as long as patience allows. */
  async #bringUpToDate(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    if (patienceMs === Number.POSITIVE_INFINITY) return this.#check();
    // A check waits until the index is compacted.
    if (this.#maintenance.isCompacting) return;
    if (this.#schedule.isSlow(this.#skills)) {
      // Neither a call during a check nor one that asks for fresh answers leads to another: only a due check is made.
      if (this.#checkIsDue() && this.#checking === null && this.#schedule.watch !== 'starting')
        this.#deferredCheck ??= setTimeout(() => void this.#check(), DEFERRED_CHECK_MS).unref();
      return;
    }
    await withTimeout(this.#check(), patienceMs, () => {});
  }

  /** Checks the folders and indexes what changed, or joins the active check. Never rejects. */
  #check(): Promise<void> {
    clearTimeout(this.#deferredCheck);
    this.#deferredCheck = undefined;
    this.#checking ??= this.#maintenance.check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }
}
