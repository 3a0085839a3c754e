/**
 * When the folders are checked, and which: at most once a second, for a small share of the time, and where a watcher
 * reports changes. `maintenance.ts` does the check.
 */

import type { Changes } from './changes.ts';

/** Shortest time between two checks, ms. */
const INTERVAL_MS = 1_000;
/** Largest share of time spent on checks that calls wait for, and on those of known changes. */
const SHARE = 0.05;
/** The same for checks that no call waits for and nothing asks for: a catalog that does not change costs almost nothing. */
const IDLE_SHARE = 0.004;
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

  /** Everything was checked by another process. */
  trust(): void {
    this.done(this.#changes.take().upTo);
    this.#checkedAt = this.#now();
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
