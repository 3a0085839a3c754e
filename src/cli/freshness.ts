/** Fetched sources of a server: fetched before the first index is made, then followed while it runs. */

import { setTimeout as sleep } from 'node:timers/promises';
import { diskDirectory } from '#index';
import { keepFresh } from '../catalog/refresh.ts';
import type { FetchedSource } from '../catalog/sources/fetched.ts';
import { staleNote } from '../catalog/staleness.ts';
import type { Library } from '../gateway/library.ts';
import { generationOf } from '../indexing/damage.ts';
import type { Settings } from './settings.ts';
import { fetchFor, type OpenSources } from './sources.ts';

/** Longest time that a timer takes, ms. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Without an index, calls have to wait for one anyway: it is made of all sources then. With one, they are answered
 * from it, and what has never been fetched is fetched beside them.
 */
export function fetchBeforeFirstIndex(
  sources: OpenSources,
  settings: Settings,
  log: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const isFirst = generationOf(diskDirectory(settings.indexFolder)) === null;
  return fetchFor(isFirst ? 'missing' : 'none', sources, settings, { now: Date.now, log, signal });
}

/** Says once what a source begins to fail of, and when it is back. Returns how to stop. */
export function followSources(
  { fetched }: OpenSources,
  library: Library,
  log: (message: string) => void,
): () => Promise<void> {
  const failing = new Map(fetched.map((source) => [source, source.status().failure]));
  const following = keepFresh(fetched, {
    now: Date.now,
    random: Math.random,
    wait: (ms, signal) =>
      sleep(Math.min(ms, LONGEST_WAIT_MS), undefined, { signal, ref: false }).catch(() => {}),
    onChange: () => library.notice(),
    onFetched(source: FetchedSource) {
      const status = source.status();
      const before = failing.get(source) ?? null;
      failing.set(source, status.failure);
      if (status.failure !== null && status.failure !== before)
        log(staleNote(status, source.refreshMs, Date.now()) ?? status.failure);
      if (status.failure === null && before !== null) log(`The source ${source.name} is up to date again.`);
    },
  });
  return () => following.stop();
}
