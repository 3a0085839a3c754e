/**
 * Keeps a gateway's copy of the index new: at each change that the store announces, and every second in case it does not. While the
 * store is out of reach the copy answers, for a bounded time, and says how old it is.
 */

import { errorMessage } from '../../../src/base/errors.ts';
import type { IndexStore } from '../index-store.ts';
import { forget, pull } from '../pull.ts';
import type { SkillCache } from '../skill-cache.ts';
import { Replica, type ReplicaOptions } from './replica.ts';

/** How often the store is asked, ms. */
const POLL_MS = 1_000;
/** Time without an answer of the store after which a copy may be out of date, ms: longer than it takes to poll and to reconnect. */
const STALE_AFTER_MS = 5_000;

export interface FollowerOptions
  extends Pick<ReplicaOptions, 'directory' | 'embedder' | 'vectors' | 'sources' | 'pins' | 'now' | 'log'> {
  readonly store: Pick<IndexStore, 'newest' | 'fetch' | 'onChange'>;
  readonly line: string;
  readonly skills: Pick<SkillCache, 'filesOf'>;
  readonly maxStaleMs: number;
}

export class Follower {
  readonly replica: Replica;
  readonly #options: FollowerOptions;
  /** When the copy was last known to be as new as the store's index, and when the store last answered. */
  #currentAt: number;
  #answeredAt: number;
  #failure: string | null = null;
  #stop = () => {};

  constructor(options: FollowerOptions) {
    const { directory, skills } = options;
    this.#options = options;
    this.#currentAt = options.now();
    this.#answeredAt = this.#currentAt;
    this.replica = new Replica({
      ...options,
      fetch: () => this.#fetch(),
      invalidateCopy: () => forget(directory),
      filesOf: (entry) => skills.filesOf(entry),
    });
  }

  /** Begins to follow. Until `close`. */
  start(): void {
    const refresh = () => this.replica.notice();
    const silence = this.#options.store.onChange(refresh);
    const timer = setInterval(refresh, POLL_MS).unref();
    this.#stop = () => {
      silence();
      clearInterval(timer);
    };
    refresh();
  }

  /** How long the copy may have been out of date, ms; 0 while it is new, or a newer one is arriving. */
  get staleMs(): number {
    const now = this.#options.now();
    // A dead network says nothing: no failure is known before a time limit is over.
    const isAway = this.#failure !== null || now - this.#answeredAt > STALE_AFTER_MS;
    const ms = now - this.#currentAt;
    return isAway && ms > STALE_AFTER_MS ? ms : 0;
  }

  /** Whether the store is known to be away: it was asked, and failed. A busy machine alone is no reason. */
  get isAway(): boolean {
    return this.#failure !== null && this.staleMs > 0;
  }

  /** Whether the copy is too old to answer. */
  get isTooStale(): boolean {
    return this.staleMs > this.#options.maxStaleMs;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.replica.close();
  }

  async #fetch(): Promise<void> {
    const { line, directory, now, log } = this.#options;
    try {
      await pull(this.#answering(), line, directory);
      this.#currentAt = now();
      if (this.#failure !== null) log('The store answers again.');
      this.#failure = null;
    } catch (error) {
      const message = errorMessage(error);
      if (this.#failure === null)
        log(`The index is not up to date: ${message} Calls are answered from the local copy.`);
      this.#failure = message;
      throw error;
    }
  }

  /** The store, whose answers are noticed: fetching a large generation takes longer than a copy may be without one. */
  #answering(): Pick<IndexStore, 'newest' | 'fetch'> {
    const { store, now } = this.#options;
    const answered = () => {
      this.#answeredAt = now();
    };
    return {
      async newest(line) {
        const newest = await store.newest(line);
        answered();
        return newest;
      },
      fetch: (object, write) =>
        store.fetch(object, (position, bytes) => {
          answered();
          return write(position, bytes);
        }),
    };
  }
}
