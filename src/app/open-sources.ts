/** Opens the configured sources, fetches those that a command needs, and reports stale ones. */

import { type FetchedSource, isFetched } from '../sources/fetched.ts';
import { localSource } from '../sources/local.ts';
import { refreshAll, staleNote, untilDue } from '../sources/refresh.ts';
import type { Source } from '../sources/source.ts';
import { AppError } from './app-error.ts';
import type { OpenSources } from './catalog.ts';
import { milliseconds } from './config/units.ts';
import type { ProcessEnvironment } from './configured.ts';
import type { RemoteSources } from './extension-api.ts';
import { fromExtension } from './load-extensions.ts';
import type { Settings } from './settings.ts';

/**
 * Which sources a command fetches: those never fetched, also those that are due, or none. `due` is for commands that
 * update the catalog; they also write the lockfile.
 */
export type Fetching = 'missing' | 'due' | 'none';

/** Rejects with `LOCK_MISMATCH` where sources are frozen and the lockfile does not cover them. */
export async function openSources(
  settings: Pick<Settings, 'sources' | 'lockFile' | 'frozen' | 'config' | 'extensions'>,
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
      lockfile !== null && source.config.kind !== 'local' ? lockfile.findPin(lock, source.name) : null;
    const { name, config, optional, links, within, remark, requests } = source;
    const opened =
      config.kind === 'local'
        ? localSource({ name, root: config.root, optional, links, within, remark, requests })
        : await (await remote(settings)).open(source, { pinned, now, env, refreshMs, fetch });
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

async function remote(settings: Pick<Settings, 'config' | 'extensions'>): Promise<RemoteSources> {
  const sources = await fromExtension('sources', settings);
  if (sources === undefined) throw new AppError('SETTING_INVALID', 'This program reads local folders alone.');
  return sources;
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
