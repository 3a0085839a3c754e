/** Opens the configured sources, fetches those that a command needs, and reports stale ones. */

import { refreshAll, untilDue } from '../sources/fetched/refresh.ts';
import { staleNote } from '../sources/fetched/staleness.ts';
import { type FetchedSource, isFetched } from '../sources/fetched.ts';
import type { Source } from '../sources/source.ts';
import type { OpenSources } from './catalog.ts';
import type { Config } from './config/schema.ts';
import { milliseconds } from './config/units.ts';
import { openSource } from './open-source.ts';
import type { ProcessEnvironment, Settings } from './settings.ts';

/**
 * Which sources a command fetches: those never fetched, also those that are due, or none. `due` is for commands that
 * update the catalog; they also write the lockfile.
 */
export type Fetching = 'missing' | 'due' | 'none';

/** Rejects with `LOCK_MISMATCH` where sources are frozen and the lockfile does not cover them. */
export async function openSources(
  settings: Pick<Settings, 'sources' | 'lockFile' | 'frozen'> & {
    readonly config: Pick<Config, 'store' | 'refresh'>;
  },
  { env }: Pick<ProcessEnvironment, 'env'>,
): Promise<OpenSources> {
  const now = () => new Date();
  // The lockfile needs the YAML parser, so only frozen sources load it.
  const lockfile = settings.frozen ? await import('./lockfile.ts') : null;
  const lock = lockfile?.readLock(settings.lockFile) ?? {};
  // Other gateways read a shared catalog without the server.
  const fetch = settings.config.store === undefined ? 'instructions' : 'all';
  const refreshMs = milliseconds(settings.config.refresh);
  const all: Source[] = [];
  for (const source of settings.sources) {
    const pinned =
      lockfile !== null && source.config.kind !== 'local' ? lockfile.pinOf(lock, source.name) : null;
    const opened = await openSource(source, { pinned, now, env, refreshMs, fetch });
    if (lockfile !== null && settings.lockFile !== null && isFetched(opened))
      lockfile.checkPin(lock, opened.status(), settings.lockFile);
    all.push(opened);
  }
  const fetched = all.filter(isFetched);
  return {
    all,
    fetched,
    async close() {
      await Promise.allSettled(fetched.map((source) => source.close()));
    },
  };
}

/** Fetches what the command needs, and logs the age of each stale source once. `now` is Unix time in ms. */
export async function fetchFor(
  fetching: Fetching,
  { fetched }: Pick<OpenSources, 'fetched'>,
  settings: Pick<Settings, 'lockFile' | 'frozen' | 'configured'>,
  { now, log, signal }: { now: () => number; log: (message: string) => void; signal?: AbortSignal },
): Promise<void> {
  const chosen = fetched.filter(
    (source) =>
      (fetching !== 'none' && source.status().verifiedAt === null) ||
      (fetching === 'due' && untilDue(source, now()) === 0),
  );
  if (chosen.length > 0) log(`Fetching ${chosen.map(({ name }) => name).join(', ')}.`);
  await refreshAll(chosen, signal);
  if (fetching === 'due') await lockSources(fetched, settings, log);
  for (const source of fetched) {
    const note = staleNote(source.status(), source.refreshMs, now());
    if (note !== null) log(note);
  }
}

/** Writes the lockfile where a source has moved. */
export async function lockSources(
  fetched: readonly FetchedSource[],
  { lockFile, frozen, configured }: Pick<Settings, 'lockFile' | 'frozen' | 'configured'>,
  log: (message: string) => void,
): Promise<void> {
  if (frozen || lockFile === null || fetched.length === 0) return;
  const statuses = fetched.map((source) => source.status());
  const { writeLock } = await import('./lockfile.ts');
  if (writeLock(lockFile, statuses, configured)) log(`Wrote ${lockFile}.`);
}
