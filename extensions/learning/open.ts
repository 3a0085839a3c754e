/**
 * Search that learns from what agents load: off by default (`learn`). The core knows it by the port `Learning` of `search/`.
 *
 * A call goes one way: `collector.ts` makes events of searches and loads, `store.ts` keeps their sums in a file (`lines.ts`),
 * `history.ts` has them in memory, bounded and decaying, and `signal.ts` compares a query with them (`request-table.ts`).
 * `search/` decides how much that moves. Texts of requests never leave this room. The choices are in
 * `docs/decisions/learning.md`.
 */

import type { Embedder } from '../../index/embedder.ts';
import type { Learning } from '../../src/search/learned.ts';
import { Collector } from './collector.ts';
import { Signal } from './signal.ts';
import { Store, type StoreOptions } from './store.ts';

export interface LearningOptions extends StoreOptions {
  /** Null where words alone are searched. */
  readonly embedder: Embedder | null;
  /** Principals, besides the user of this machine, who must have taught the same. From 1. */
  readonly minPrincipals: number;
}

export function openLearning({ embedder, minPrincipals, ...options }: LearningOptions): Learning {
  const store = new Store(options);
  const collector = new Collector((event) => store.add(event), options.now);
  const signal = new Signal({ store, embedder, minPrincipals });
  return {
    of: (query, reader, ordinals) => signal.of(query, reader, ordinals),
    searched: (who, search) => collector.searched(who, search),
    loaded: (who, skill) => collector.loaded(who, skill),
    flush: () => store.flush(),
  };
}

/** Forgets what a principal taught, by name, or with null everything; on disk, too. Returns how many uses, and how many are left. */
export async function forget(
  options: StoreOptions,
  who: string | null,
): Promise<{ readonly forgotten: number; readonly left: number }> {
  const store = new Store(options);
  const forgotten = await store.forget(who);
  return { forgotten, left: store.history.size };
}
