/**
 * Keeps a gateway's copy of the index new: at each change that the store announces, and every second in case it does not. While the
 * store is out of reach the copy answers, for a bounded time, and says how old it is.
 */

import { type Reader, RemoteCache, RemoteCandidates } from '#index';
import { messageOf } from '../../errors/public.ts';
import { Replica, type ReplicaOptions } from '../../library/public.ts';
import { forget, type IndexStore, pull, type SearchReader, type SkillCache } from '../../store/public.ts';

/** How often the store is asked, ms. */
const POLL_MS = 1_000;
/** Time without an answer of the store after which a copy counts as stale, ms: longer than it takes to poll and to reconnect. */
const STALE_AFTER_MS = 5_000;

export interface FollowerOptions
  extends Pick<ReplicaOptions, 'directory' | 'embedder' | 'vectors' | 'sources' | 'now' | 'log'> {
  readonly store: Pick<IndexStore, 'newest' | 'fetch' | 'onChange'>;
  readonly line: string;
  /** Searches in the database, over outlines of the index; absent: the directory holds a copy of it. */
  readonly search?: { readonly rows: SearchReader; readonly cacheBytes: number };
  readonly skills: Pick<SkillCache, 'filesOf'>;
  readonly maxStaleMs: number;
}

export class Follower {
  readonly replica: Replica;
  readonly #options: FollowerOptions;
  readonly #started: number;
  #contactAt: number | null = null;
  #failure: string | null = null;
  #stop = () => {};

  constructor(options: FollowerOptions) {
    const { directory, skills, search } = options;
    this.#options = options;
    this.#started = options.now();
    const cache = search && new RemoteCache(search.cacheBytes);
    this.replica = new Replica({
      ...options,
      ...(search &&
        cache && {
          candidatesOf: (reader: Reader) => new RemoteCandidates(reader, search.rows, cache),
        }),
      fetch: () => this.#fetch(),
      distrust: () => forget(directory),
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

  /** How long the store has been out of reach, ms; 0 while the copy is as new as the store's index. */
  get staleMs(): number {
    const ms = this.#options.now() - (this.#contactAt ?? this.#started);
    return ms > STALE_AFTER_MS && this.#failure !== null ? ms : 0;
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
    const { store, line, directory, search, now, log } = this.#options;
    try {
      await pull(store, line, directory, search?.rows);
      this.#contactAt = now();
      if (this.#failure !== null) log('The store answers again.');
      this.#failure = null;
    } catch (error) {
      const message = messageOf(error);
      if (this.#failure === null)
        log(`The index is not up to date: ${message} Calls are answered from the copy that is held.`);
      this.#failure = message;
      throw error;
    }
  }
}
