/**
 * When the folders are checked, and which: at most once a second, for a small share of the time, and where a watcher
 * reports changes. Counts those changes until a commit holds them. `maintenance.ts` does the check.
 */

/** Shortest time between two checks, ms. */
const INTERVAL_MS = 1_000;
/** Largest share of time spent on checks that calls wait for, and on those of known changes. */
const SHARE = 0.05;
/** The same for checks that no call waits for and nothing asks for: a large catalog that does not change costs little. */
const IDLE_SHARE = 0.02;
/** Longest time between two checks with a watcher, ms: finds what the watcher missed. */
const WATCHED_INTERVAL_MS = 300_000;
/** Estimated time to check one skill's folder, ms, until it has been measured. */
const MS_PER_SKILL = 0.05;

export class Schedule {
  /** Whether a watcher reports changes, or is being set up. */
  watch: 'none' | 'starting' | 'active' = 'none';
  readonly #now: () => number;
  readonly #patienceMs: number;
  readonly #changes: Changes;
  /** True while the active check is limited to some paths. */
  #isAtPaths = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Duration of the last check of everything, ms. */
  #tookMs: number | null = null;

  /** `now` in milliseconds, monotonic. No call waits for a check that takes longer than `patienceMs`. */
  constructor(changes: Changes, now: () => number, patienceMs: number) {
    this.#changes = changes;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  /** Something changed at these absolute paths. Null means anywhere, and makes a check due at once. */
  note(paths: readonly string[] | null): void {
    this.#changes.note(paths);
    if (paths === null) this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether something changed since the active check began. */
  get hasMore(): boolean {
    return this.#changes.some;
  }

  /** Takes the paths to check; null means everything. `done` gets its count. */
  take(): ReturnType<Changes['take']> {
    return this.#changes.take();
  }

  /** The taken changes could not be processed: the next due check is of everything. */
  retryAll(): void {
    this.#changes.retry();
  }

  /** A check begins. */
  begin(at: 'paths' | 'everything'): void {
    this.#isAtPaths = at === 'paths';
    if (at === 'everything') this.#checkedAt = this.#now();
  }

  /** The index holds what was taken with that count. */
  done(upTo: number): void {
    this.#changes.indexed(upTo);
  }

  /** Records the duration of a check of everything, ms. */
  measured(ms: number): void {
    this.#tookMs = ms;
  }

  /** No check is active any more. */
  end(): void {
    this.#isAtPaths = false;
  }

  /** Whether a check is due for a catalog with this number of skills. */
  isDue(skills: number): boolean {
    if (this.#changes.arePaths) return true;
    const least = this.watch === 'active' && !this.#changes.some ? WATCHED_INTERVAL_MS : INTERVAL_MS;
    const share = this.isSlow(skills) && !this.#changes.some ? IDLE_SHARE : SHARE;
    const interval = Math.max(least, this.expectedMs(skills) / share);
    return this.#now() - this.#checkedAt >= interval;
  }

  /** Whether the active or due check is expected to take longer than a call waits. */
  isSlow(skills: number): boolean {
    return this.expectedMs(skills) > this.#patienceMs;
  }

  /** Expected duration of the active or due check, ms. */
  expectedMs(skills: number): number {
    if (this.#isAtPaths || this.#changes.arePaths) return 0;
    return this.#tookMs ?? skills * MS_PER_SKILL;
  }
}

/** What was seen since the start, for `/readyz` and metrics. */
export interface ChangeStatus {
  /** Changed paths; a change of which no path is known counts once. */
  readonly seen: number;
  readonly committed: number;
  /** Seen and not yet committed. */
  readonly pending: number;
  /** How long the oldest of these has been pending, ms; 0 without one. */
  readonly pendingMs: number;
}

export class Changes {
  readonly #now: () => number;
  readonly #isPublished: boolean;
  #anything = true;
  #paths = new Set<string>();
  /** Each counts from the start: changes up to `#committed` are served, up to `#indexed` in the index. */
  #seen = 0;
  #indexed = 0;
  #committed = 0;
  /** When the changes up to a count were seen, ms; oldest first, none that is committed. */
  #times: { readonly upTo: number; readonly at: number }[] = [];

  /**
   * `now` in milliseconds, monotonic. `isPublished`: what is indexed is served once it is published, which `committed` reports; else at
   * once. What changed while no one wrote then counts as one change, seen now.
   */
  constructor(now: () => number, isPublished = false) {
    this.#now = now;
    this.#isPublished = isPublished;
    if (isPublished) this.note(null);
  }

  /** Absolute paths; null where anything may have changed. */
  note(paths: readonly string[] | null): void {
    if (paths === null) this.#anything = true;
    else for (const path of paths) this.#paths.add(path);
    this.#seen += paths?.length ?? 1;
    this.#times.push({ upTo: this.#seen, at: this.#now() });
  }

  get some(): boolean {
    return this.#anything || this.#paths.size > 0;
  }

  /** True where changes are limited to known paths. */
  get arePaths(): boolean {
    return !this.#anything && this.#paths.size > 0;
  }

  /** Returns what is to be checked, once: paths, or null where anything may have changed; and the count of changes that this covers. */
  take(): { readonly paths: readonly string[] | null; readonly upTo: number } {
    const paths = this.arePaths ? [...this.#paths] : null;
    this.#anything = false;
    this.#paths = new Set();
    return { paths, upTo: this.#seen };
  }

  /** What was taken could not be processed: anything is taken again. */
  retry(): void {
    this.#anything = true;
  }

  /** The index holds the changes up to that count. */
  indexed(upTo: number): void {
    this.#indexed = upTo;
    if (!this.#isPublished) this.committed(this.#indexed);
  }

  /** The count of changes that the index holds. */
  get indexedUpTo(): number {
    return this.#indexed;
  }

  /** Changes up to that count are served. */
  committed(upTo: number): void {
    this.#committed = Math.max(this.#committed, upTo);
    this.#times = this.#times.filter((time) => time.upTo > this.#committed);
  }

  status(): ChangeStatus {
    const [oldest] = this.#times;
    return {
      seen: this.#seen,
      committed: this.#committed,
      pending: this.#seen - this.#committed,
      pendingMs: oldest === undefined ? 0 : this.#now() - oldest.at,
    };
  }
}
