/**
 * How fresh the index is: when the folders are looked at again, and what a call waits for. Which snapshot answers is
 * `snapshots.ts`.
 *
 * - Before a call the folders are checked, at most once a second and for at most a twentieth of the time; where a
 *   check is quick the call waits for it, so that a saved file is found by the next search.
 * - Where a watcher tells which paths changed, only the skills at those paths are looked at, whatever the catalog's size.
 * - A call never waits longer than its patience for a rebuild while there is an index to answer from.
 * - A damaged index, or one of another model, is made again with a message; it is never served.
 */

import { type Directory, type Embedder, IndexError, type Reader, type VectorMode } from '#index';
import { type CatalogSnapshot, readCatalog } from '../catalog/catalog.ts';
import { readPart } from '../catalog/part.ts';
import type { Source } from '../catalog/sources/source.ts';
import type { Crew } from '../indexing/crew.ts';
import { generationOf } from '../indexing/damage.ts';
import { isInLine } from '../indexing/in-line.ts';
import { knownOf, runPart } from '../indexing/part.ts';
import type { IndexReport, Progress } from '../indexing/report.ts';
import { runIndexing } from '../indexing/run.ts';
import type { Upkeep } from '../indexing/upkeep.ts';
import type { Precedence } from '../search/copies.ts';
import type { Searchable } from '../search/search.ts';
import { Changes } from './changes.ts';
import type { CatalogSummary } from './gateway.ts';
import { Snapshots } from './snapshots.ts';
import { readSummary, summarise, writeSummary } from './summary.ts';

/** Shortest time between two checks of the folders, ms. */
const CHECK_INTERVAL_MS = 1_000;
/** A check may take this share of the time: slower catalogs are checked less often. */
const CHECK_SHARE = 0.05;
/** Longest time between two checks where a watcher tells of changes, ms: what it missed is found then. */
const WATCHED_INTERVAL_MS = 300_000;
/** Until it has been measured: time to check one skill's folder, ms. */
const CHECK_MS_PER_SKILL = 0.05;
/** A check that no call waits for begins this long after the call that found it due, ms. */
const SOON_MS = 1_000;
/** Default patience, ms: an agent does not notice it, and one changed skill is indexed in less. */
const PATIENCE_MS = 250;

export interface LibraryOptions {
  /** Of identical skills, that of the first source is shown. */
  readonly sources: readonly Source[];
  readonly directory: Directory;
  readonly embedder: Embedder;
  readonly vectors: VectorMode;
  readonly crew: Crew;
  /**
   * True gives every id its source's name: where some see less than others, an id must not change with what another
   * source holds. Default false: only ids that several sources share.
   */
  readonly qualifyIds?: boolean;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * How long a call may wait for a check and what it sets going, ms, while there is an index to answer from. Where a
   * check is expected to take longer, the call does not wait at all. Default 250; Infinity always waits.
   */
  readonly patienceMs?: number;
  /** Looks after the index in a thread of its own, where no call would wait for a check anyway. */
  readonly upkeep?: Upkeep;
}

export class Library {
  readonly #options: LibraryOptions;
  readonly #snapshots: Snapshots;
  readonly #closing = new AbortController();
  readonly #precedence: Precedence;
  #running: Promise<IndexReport> | null = null;
  #checking: Promise<void> | null = null;
  #soon: NodeJS.Timeout | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checkMs: number | null = null;
  /** Whether a watcher tells of changes, or is being set up to. */
  #watch: 'none' | 'comes' | 'stands' = 'none';
  /** Since the last check began. */
  readonly #changes = new Changes();
  /** True while the check under way looks at some paths only. */
  #looksAtPaths = false;
  #lastComplaint = '';

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#snapshots = new Snapshots(options);
    this.#precedence = new Map(options.sources.map(({ name }, at) => [name, at]));
  }

  /** Whether changes are told of by a watcher; else the folders are looked at between calls. */
  get isWatched(): boolean {
    return this.#watch === 'stands';
  }

  /** The snapshot to answer from, brought up to date where that is quick. Indexes first where there is no index. */
  async current(): Promise<Searchable> {
    if (this.#reader === null && this.#running === null) this.#snapshots.open();
    if (this.#reader === null) await this.update();
    else if (this.#checking !== null || this.#checkIsDue()) await this.#bringUpToDate();
    const reader = this.#reader;
    if (reader === null) throw new IndexError('INDEX_MISSING', 'There is no index and none could be made.');
    const { embedder, now } = this.#options;
    return { reader, embedder, now, precedence: this.#precedence };
  }

  /** Indexes now, or joins the run under way. */
  update(): Promise<IndexReport> {
    return this.#run();
  }

  #run(catalog: CatalogSnapshot | null = null): Promise<IndexReport> {
    this.#running ??= this.#index(catalog).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * Something changed, says a watcher, or whoever met a file that is not as the index has it: looks again, at the
   * absolute paths or, without them, at all there is.
   */
  notice(paths: readonly string[] | null = null): void {
    this.#changes.note(paths);
    if (paths === null) this.#checkedAt = Number.NEGATIVE_INFINITY;
    // Before the first call there is nothing to compare with: that call looks anyway.
    if (this.#reader !== null) void this.#check();
  }

  /**
   * A watcher is being set up; `watched` is called once it stands, or where it never will. It brings a look at all
   * folders, so the one that no call would wait for is left to it.
   */
  watchComes(): void {
    this.#watch = 'comes';
  }

  /**
   * Whether a watcher stands guard. What was saved before it did, or since it ended, nobody told of: the folders are
   * looked at once more, now. From then on they are looked at rarely without a notice, where it stands.
   */
  watched(standing = true): void {
    this.#watch = standing ? 'stands' : 'none';
    this.notice();
  }

  /** What was read of the present snapshot failed its check: makes the index again, with a message. */
  async remake(error: IndexError): Promise<void> {
    this.#snapshots.condemn(error);
    // A run under way goes on from what is damaged.
    await this.#running?.catch(() => {});
    await this.update();
  }

  /** What the catalog holds. Kept beside the index, so that a client's first question waits for no clustering. */
  async summary(): Promise<CatalogSummary> {
    const { directory } = this.#options;
    const kept = readSummary(directory);
    if (kept !== null && kept.generation === generationOf(directory)) return kept;
    const { reader } = await this.current();
    const summary = await summarise(reader);
    writeSummary(directory, summary);
    return summary;
  }

  onChange(listener: (generation: number) => void): () => void {
    return this.#snapshots.onChange(listener);
  }

  /** Lets go of all files and threads. Calls under way may fail; a run under way is left to the next one. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#soon);
    this.#snapshots.close();
    await Promise.all([this.#options.crew.close(), this.#options.upkeep?.close()]);
  }

  get #reader(): Reader | null {
    return this.#snapshots.current;
  }

  #checkIsDue(): boolean {
    if (this.#running !== null) return false;
    if (this.#changes.arePaths) return true;
    const guarded = this.isWatched && !this.#changes.some ? WATCHED_INTERVAL_MS : CHECK_INTERVAL_MS;
    const interval = Math.max(guarded, this.#expectedCheckMs() / CHECK_SHARE);
    return this.#options.now() - this.#checkedAt >= interval;
  }

  #expectedCheckMs(): number {
    if (this.#looksAtPaths || this.#changes.arePaths) return 0;
    return this.#checkMs ?? (this.#reader?.documents ?? 0) * CHECK_MS_PER_SKILL;
  }

  /** Checks, and waits for it as long as patience allows. */
  async #bringUpToDate(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    if (this.#expectedCheckMs() > patienceMs) {
      // Nobody waits for it, so it begins when this answer has been given.
      if (this.#watch !== 'comes') this.#soon ??= setTimeout(() => void this.#check(), SOON_MS).unref();
      return;
    }
    const check = this.#check();
    if (patienceMs === Number.POSITIVE_INFINITY) return check;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([check, enough]);
    clearTimeout(timer);
  }

  /** Looks at the folders and indexes what changed, or joins the check under way. Never rejects. */
  #check(): Promise<void> {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#checking ??= this.#lookAgain().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Failures are told once: the present snapshot still answers. */
  async #lookAgain(): Promise<void> {
    try {
      do {
        const paths = this.#changes.take();
        // A run that began before this look may have missed what it will find.
        await this.#running?.catch(() => {});
        this.#looksAtPaths = paths !== null;
        if (paths !== null && (await this.#lookAt(paths))) continue;
        this.#looksAtPaths = false;
        await this.#lookAtAll();
      } while (this.#changes.some);
      this.#lastComplaint = '';
    } catch (error) {
      this.#changes.note(null);
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#lastComplaint && !this.#closing.signal.aborted)
        this.#options.log(`The skills could not be checked for changes: ${reason}`);
      this.#lastComplaint = reason;
    } finally {
      this.#looksAtPaths = false;
    }
  }

  /** Brings the index up to date with what is at these paths; false where that takes a look at everything. */
  async #lookAt(paths: readonly string[]): Promise<boolean> {
    const { sources, qualifyIds, directory } = this.#options;
    if (this.#reader !== null && generationOf(directory) !== this.#snapshots.generation)
      await this.#snapshots.adopt();
    const reader = this.#reader;
    const part = reader === null ? null : readPart(sources, paths, knownOf(reader), qualifyIds);
    if (reader === null || part === null) return false;
    if (part.folders.length + part.known.length === 0) return true;
    const report = await runPart(part, reader, this.#options);
    if (report !== null && report.generation !== reader.manifest.generation) await this.#snapshots.adopt();
    return report !== null;
  }

  async #lookAtAll(): Promise<void> {
    const { sources, now, directory, vectors, qualifyIds, upkeep, patienceMs = PATIENCE_MS } = this.#options;
    const started = now();
    this.#checkedAt = started;
    if (upkeep !== undefined && this.#reader !== null && this.#expectedCheckMs() > patienceMs) {
      const changed = await this.#elsewhere(upkeep);
      if (!changed) this.#checkMs = now() - started;
      return;
    }
    const catalog = await readCatalog(sources, this.#closing.signal, qualifyIds);
    this.#checkMs = now() - started;
    const manifest = this.#reader?.manifest;
    if (manifest === undefined || !(await isInLine(directory, manifest, catalog, vectors)))
      await this.#run(catalog);
  }

  /** Has the index brought up to date in another thread; whether anything had changed. */
  async #elsewhere(upkeep: Upkeep): Promise<boolean> {
    const { onProgress = () => {} } = this.#options;
    const report = await upkeep.run(onProgress);
    if (report === null) return false;
    if (report.generation !== this.#snapshots.generation) await this.#snapshots.adopt();
    return true;
  }

  /** Of the catalog as it is, or as it was read just now. */
  async #index(read: CatalogSnapshot | null): Promise<IndexReport> {
    const { sources, onProgress, ...options } = this.#options;
    await this.#snapshots.discardDamaged();
    onProgress?.({ stage: 'scan', done: 0, total: 1 });
    const catalog = read ?? (await readCatalog(sources, this.#closing.signal, options.qualifyIds));
    onProgress?.({ stage: 'scan', done: 1, total: 1 });
    const report = await runIndexing(catalog, {
      ...options,
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    this.#checkedAt = options.now();
    if (report.generation !== this.#snapshots.generation) await this.#snapshots.adopt();
    return report;
  }
}
