/**
 * An open catalog: which index snapshot a call gets, and what the call waits for. `snapshots.ts` holds the snapshot,
 * `schedule.ts` decides when to check the folders, `maintenance.ts` does the check and what follows from it.
 *
 * - A call waits for a quick check of the folders, so that the next search finds a saved file.
 * - Where a watcher reports the changed paths, only the skills at those paths are checked, whatever the catalog's size.
 * - While there is an index to answer from, a call waits at most `patienceMs` for a rebuild, and does not wait for
 *   compaction after a change.
 * - A damaged index, or one of another model, is rebuilt with a message. It is never served.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { IndexError } from '../../index/errors.ts';
import { documentsOf } from '../../index/manifest.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { withTimeout } from '../base/timing.ts';
import type { Precedence } from '../search/copies.ts';
import type { Learning } from '../search/learned.ts';
import { PASSAGE_VERSION } from '../search/passages/version.ts';
import type { Searchable } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { ReadableFile } from '../sources/source.ts';
import { manifestIn } from './indexing/damage.ts';
import type { LibraryOptions } from './indexing/options.ts';
import type { IndexReport } from './indexing/report.ts';
import { isSkillUnchanged, isUnchanged, readLastCheck } from './last-check.ts';
import { Maintenance } from './maintenance.ts';
import { pinnedIn } from './pinned.ts';
import { Changes, Schedule } from './schedule.ts';
import { Snapshots } from './snapshots.ts';
import { type CatalogSummary, readSummary, summarise, writeSummary } from './summary.ts';

export type { LibraryOptions } from './indexing/options.ts';

/** Delay before a check that no call waits for, ms: it starts after the answer has been given. */
const DEFERRED_CHECK_MS = 1_000;
/** Most of the time that commands spend on checks of a catalog of hundreds of thousands. */
const CHECK_SHARE = 0.01;
/** Default patience, ms: an agent does not notice it, and indexing one changed skill takes less. */
const PATIENCE_MS = 250;

/** What use cases need of a library, whole or restricted by a policy. */
export interface LibraryView extends Pick<Library, 'current' | 'summary' | 'onChange'> {
  filesOf(entry: Pick<CatalogEntry, 'source' | 'folder' | 'digest'>): Promise<readonly ReadableFile[]>;
  /** What is pinned. */
  readonly pins?: readonly string[];
}

/** What a server needs of a library: one that indexes, or a copy of an index that another process writes. */
export interface ServedLibrary
  extends LibraryView,
    Pick<Library, 'isOpen' | 'isWatched' | 'notice' | 'rebuild' | 'close'> {
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
  #checking: Promise<void> | null = null;
  #checkedAt: number | null = null;
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
   * The snapshot to answer from, updated first where that is quick. Builds the index where there is none. `fresh` looks at
   * the folders even if that was done a moment ago.
   */
  async current({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Searchable> {
    if (this.#reader === null && this.#maintenance.running === null) {
      this.#snapshots.open();
      if (!fresh) this.#trustLastCheck();
    }
    if (this.#reader === null) await this.update();
    else if (this.#checking !== null || this.#checkIsDue() || (fresh && this.#maintenance.running === null))
      await this.#bringUpToDate();
    const reader = this.#reader;
    if (reader === null) throw new IndexError('INDEX_MISSING', 'There is no index and none could be made.');
    const { note, now, learning, use } = this.#options;
    use?.begin();
    const embedder = note === undefined ? this.#options.embedder : null;
    const index = {
      reader,
      embedder,
      note,
      isBehind: !this.#maintenance.hasCheckedAll && this.#checkedAt === null,
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

  /** When the folders were checked, ms since 1970, where answers rest on an earlier process's check; else null. */
  get checkedAt(): number | null {
    return this.#checkedAt;
  }

  /**
   * Whether these skills are as they were when the folders were last checked. If not, everything is checked now, and
   * the next call answers from that.
   */
  async confirm(skills: readonly Pick<CatalogEntry, 'source' | 'folder'>[]): Promise<boolean> {
    const at = this.#checkedAt;
    if (at === null) return true;
    for (const skill of skills) {
      const source = this.#options.sources.find(({ name }) => name === skill.source);
      if (source !== undefined && (await isSkillUnchanged(source, skill, at))) continue;
      this.#checkedAt = null;
      this.notice();
      return false;
    }
    return true;
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

  /** A watcher reports changes from now on. Changes before this were not reported: checks all folders now, then rarely. */
  watcherReady(): void {
    this.#schedule.watch = 'active';
    this.notice();
  }

  /** No watcher reports changes any more: checks all folders now, then between calls. */
  watcherLost(): void {
    this.#schedule.watch = 'none';
    this.notice();
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
    const { workers, shared, background, learning, use } = this.#options;
    await Promise.all([
      workers.close(),
      shared?.workers.close(),
      background?.close(),
      learning?.flush(),
      use?.close(),
    ]);
  }

  get #reader(): Reader | null {
    return this.#snapshots.current;
  }

  get #skills(): number {
    return this.#reader?.documents ?? 0;
  }

  /** Uses the last recorded check of the folders, if a new one would be slow and nothing shows that it is out of date. */
  #trustLastCheck(): void {
    const { recent, directory, sources } = this.#options;
    const last = recent === undefined ? null : readLastCheck(directory);
    const expectedMs = this.#schedule.expectedMs(this.#skills);
    if (recent === undefined || last === null || expectedMs <= recent.quickMs || recent.maxAgeMs === 0)
      return;
    const age = recent.time() - last.at;
    const isOfThese = last.key === recent.key && last.generation === this.#snapshots.identity;
    if (!isOfThese || age < 0 || age > Math.max(recent.maxAgeMs, expectedMs / CHECK_SHARE)) return;
    if (this.#reader?.manifest.recipe !== PASSAGE_VERSION) return;
    if (!sources.every((source) => isUnchanged(source, last.at))) return;
    this.#checkedAt = last.at;
    this.#schedule.trust();
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
