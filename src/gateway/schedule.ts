/**
 * When the folders are to be looked at, and at what of them: at most once a second and for at most a twentieth of the
 * time, and at what a watcher tells of. What is done then is `maintenance.ts`'s affair.
 */

import { Changes } from './changes.ts';

/** Shortest time between two looks, ms. */
const INTERVAL_MS = 1_000;
/** Looks may take this share of the time: slower catalogs are looked at less often. */
const SHARE = 0.05;
/** Longest time between two looks where a watcher tells of changes, ms: what it missed is found then. */
const WATCHED_INTERVAL_MS = 300_000;
/** Until it has been measured: time to look at one skill's folder, ms. */
const MS_PER_SKILL = 0.05;

export class Schedule {
  /** Whether a watcher tells of changes, or is being set up to. */
  watch: 'none' | 'comes' | 'stands' = 'none';
  readonly #now: () => number;
  /** Since the last look began. */
  readonly #changes = new Changes();
  /** True while the look under way is at some paths only. */
  #isAtPaths = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** How long a look at everything takes, ms. */
  #tookMs: number | null = null;

  /** `now` in milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Something changed at these absolute paths; null where it may be anything, which is due at once. */
  note(paths: readonly string[] | null): void {
    this.#changes.note(paths);
    if (paths === null) this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether something changed since the look under way began. */
  get hasMore(): boolean {
    return this.#changes.some;
  }

  /** What a look is to be at: these paths, or everything where null. From then on there is nothing. */
  take(): readonly string[] | null {
    return this.#changes.take();
  }

  /** What was taken could not be dealt with: everything is to be looked at, when the next look is due. */
  giveBack(): void {
    this.#changes.note(null);
  }

  /** A look begins: at some paths, or at everything. */
  begin(at: 'paths' | 'everything'): void {
    this.#isAtPaths = at === 'paths';
    if (at === 'everything') this.#lookedAt = this.#now();
  }

  /** How long a look at everything took, ms. */
  measured(ms: number): void {
    this.#tookMs = ms;
  }

  /** Nothing is looked at any more. */
  end(): void {
    this.#isAtPaths = false;
  }

  /** Whether a look is due at a catalog of so many skills. */
  isDue(skills: number): boolean {
    if (this.#changes.arePaths) return true;
    const guarded = this.watch === 'stands' && !this.#changes.some ? WATCHED_INTERVAL_MS : INTERVAL_MS;
    const interval = Math.max(guarded, this.expectedMs(skills) / SHARE);
    return this.#now() - this.#lookedAt >= interval;
  }

  /** How long the look under way or due is expected to take, ms. */
  expectedMs(skills: number): number {
    if (this.#isAtPaths || this.#changes.arePaths) return 0;
    return this.#tookMs ?? skills * MS_PER_SKILL;
  }
}
