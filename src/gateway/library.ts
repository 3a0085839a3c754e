/**
 * How fresh the index is that a call gets, and what the call waits for. Which snapshot answers is `snapshots.ts`; when
 * the folders are looked at, `schedule.ts`; what that leads to, `maintenance.ts`.
 *
 * - Where a check of the folders is quick a call waits for it, so that a saved file is found by the next search.
 * - Where a watcher tells which paths changed, only the skills at those paths are looked at, whatever the catalog's size.
 * - A call never waits longer than its patience for a rebuild while there is an index to answer from, and begins no
 *   wait while the index is tidied up after a change.
 * - A damaged index, or one of another model, is made again with a message; it is never served.
 */

import { type Directory, type Embedder, IndexError, type Reader, type VectorMode } from '#index';
import type { Source } from '../catalog/sources/source.ts';
import type { Crew } from '../indexing/crew.ts';
import { generationOf } from '../indexing/damage.ts';
import type { IndexReport, Progress } from '../indexing/report.ts';
import type { Upkeep } from '../indexing/upkeep.ts';
import type { Precedence } from '../search/copies.ts';
import type { Searchable } from '../search/search.ts';
import type { CatalogSummary } from './gateway.ts';
import { Maintenance } from './maintenance.ts';
import { Schedule } from './schedule.ts';
import { Snapshots } from './snapshots.ts';
import { readSummary, summarise, writeSummary } from './summary.ts';

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
  readonly #precedence: Precedence;
  readonly #schedule: Schedule;
  readonly #maintenance: Maintenance;
  #checking: Promise<void> | null = null;
  #soon: NodeJS.Timeout | undefined;

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#snapshots = new Snapshots(options);
    this.#schedule = new Schedule(options.now);
    const { patienceMs = PATIENCE_MS } = options;
    this.#maintenance = new Maintenance({ ...options, patienceMs }, this.#snapshots, this.#schedule);
    this.#precedence = new Map(options.sources.map(({ name }, at) => [name, at]));
  }

  /** Whether changes are told of by a watcher; else the folders are looked at between calls. */
  get isWatched(): boolean {
    return this.#schedule.watch === 'stands';
  }

  /** Whether there is a snapshot to answer from: else a call waits for one to be made. */
  get isOpen(): boolean {
    return this.#reader !== null;
  }

  /** The snapshot to answer from, brought up to date where that is quick. Indexes first where there is no index. */
  async current(): Promise<Searchable> {
    if (this.#reader === null && this.#maintenance.running === null) this.#snapshots.open();
    if (this.#reader === null) await this.update();
    else if (this.#checking !== null || this.#checkIsDue()) await this.#bringUpToDate();
    const reader = this.#reader;
    if (reader === null) throw new IndexError('INDEX_MISSING', 'There is no index and none could be made.');
    const { embedder, now } = this.#options;
    return { reader, embedder, now, precedence: this.#precedence };
  }

  /** Indexes now, or joins the run under way. */
  update(): Promise<IndexReport> {
    return this.#maintenance.run();
  }

  /**
   * Something changed, says a watcher, or whoever met a file that is not as the index has it: looks again, at the
   * absolute paths or, without them, at all there is.
   */
  notice(paths: readonly string[] | null = null): void {
    this.#schedule.note(paths);
    // Before the first call there is nothing to compare with: that call looks anyway.
    if (this.#reader !== null) void this.#check();
  }

  /**
   * A watcher is being set up; `watched` is called once it stands, or where it never will. It brings a look at all
   * folders, so the one that no call would wait for is left to it.
   */
  watchComes(): void {
    this.#schedule.watch = 'comes';
  }

  /**
   * Whether a watcher stands guard. What was saved before it did, or since it ended, nobody told of: the folders are
   * looked at once more, now. From then on they are looked at rarely without a notice, where it stands.
   */
  watched(standing = true): void {
    this.#schedule.watch = standing ? 'stands' : 'none';
    this.notice();
  }

  /** What was read of the present snapshot failed its check: makes the index again, with a message. */
  async remake(error: IndexError): Promise<void> {
    this.#snapshots.condemn(error);
    // A run under way goes on from what is damaged.
    await this.#maintenance.running?.catch(() => {});
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
    this.#maintenance.close();
    clearTimeout(this.#soon);
    this.#snapshots.close();
    await Promise.all([this.#options.crew.close(), this.#options.upkeep?.close()]);
  }

  get #reader(): Reader | null {
    return this.#snapshots.current;
  }

  get #skills(): number {
    return this.#reader?.documents ?? 0;
  }

  #checkIsDue(): boolean {
    return this.#maintenance.running === null && this.#schedule.isDue(this.#skills);
  }

  /** Checks, and waits for it as long as patience allows. */
  async #bringUpToDate(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    if (patienceMs === Number.POSITIVE_INFINITY) return this.#check();
    // A check would wait for that.
    if (this.#maintenance.isTidying) return;
    if (this.#schedule.expectedMs(this.#skills) > patienceMs) {
      // Nobody waits for it, so it begins when this answer has been given.
      if (this.#schedule.watch !== 'comes')
        this.#soon ??= setTimeout(() => void this.#check(), SOON_MS).unref();
      return;
    }
    const check = this.#check();
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
    this.#checking ??= this.#maintenance.look().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }
}
