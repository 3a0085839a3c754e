/**
 * Keeps the library of a server open and fresh: fetches before the first index, opens it before the first call, then follows its
 * sources and watches its folders.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../base/errors.ts';
import { backoffMs, LONGEST_DELAY_MS } from '../base/timing.ts';
import { indexDirectory } from '../catalog/index-directory.ts';
import { readGeneration } from '../catalog/indexing/damage.ts';
import type { Library } from '../catalog/library.ts';
import type { Changes } from '../catalog/schedule.ts';
import { retryRepaired } from '../gateway/intercept.ts';
import type { AuditEvent } from '../serve/telemetry/audit.ts';
import type { FetchedSource } from '../sources/fetched.ts';
import { keepFresh, staleNote } from '../sources/refresh.ts';
import { leadsOutside } from '../sources/scan/real-path.ts';
import { watchRoots } from '../sources/scan/watch.ts';
import type { OpenSources } from './catalog.ts';
import { fetchFor } from './open-sources.ts';
import type { Settings } from './settings.ts';

/**
 * Without an index, calls wait for the first one, which therefore covers all sources. With an index, it answers calls
 * while the sources that were never fetched are fetched in the background.
 */
export function fetchBeforeFirstIndex(
  sources: OpenSources,
  settings: Settings,
  log: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const isFirst = readGeneration(indexDirectory(settings.indexFolder)) === null;
  return fetchFor(isFirst ? 'missing' : 'none', sources, settings, { now: Date.now, log, signal });
}

/** Time after which a change should be served, ms: also where another gateway takes over, or the catalog is large. */
const LATE_MS = 30_000;
/** How often that is looked at, ms. */
const LOOK_MS = 5_000;

/** Logs once when a change is not served in time, and once when all are. Returns how to stop. */
export function reportLate(changes: Changes, log: (message: string) => void): () => void {
  let isLate = false;
  const look = () => {
    const { pending, pendingMs } = changes.status();
    if (pendingMs > LATE_MS === isLate) return;
    isLate = !isLate;
    log(
      isLate
        ? `Changes of the skill folders are not served yet: ${pending}, the oldest seen ${Math.round(pendingMs / 1_000)} s ago.`
        : 'The changes of the skill folders that were late are served.',
    );
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Logs once when a source starts to fail, and once when it recovers; the audit log gets every version that is served.
 * Returns how to stop.
 */
export function followSources(
  { fetched }: OpenSources,
  library: Library,
  log: (message: string) => void,
  audit: (event: AuditEvent) => void,
): () => Promise<void> {
  const failures = new Map(fetched.map((source) => [source, source.status().failure]));
  const versions = new Map<FetchedSource, string | null>();
  const note = (source: FetchedSource) => {
    const { name, origin, resolved } = source.status();
    if (versions.get(source) === resolved) return;
    versions.set(source, resolved);
    audit({ event: 'source', name, origin, resolved });
  };
  for (const source of fetched) note(source);
  const following = keepFresh(fetched, {
    now: Date.now,
    random: Math.random,
    wait: (ms, signal) =>
      sleep(Math.min(ms, LONGEST_DELAY_MS), undefined, { signal, ref: false }).catch(() => {}),
    onChange: () => library.notice(),
    onFetched(source: FetchedSource) {
      const status = source.status();
      note(source);
      const before = failures.get(source) ?? null;
      failures.set(source, status.failure);
      if (status.failure !== null && status.failure !== before)
        log(staleNote(status, source.refreshMs, Date.now()) ?? status.failure);
      if (status.failure === null && before !== null) log(`The source ${source.name} is up to date again.`);
    },
  });
  return () => following.stop();
}

/** Delay of the file watch after the library opens, ms: the first call is answered before. */
const WATCH_AFTER_MS = 1_000;

/** Watches the folders, with or without an index, and the files of requests. Returns how to stop. */
export async function watch(
  library: Pick<Library, 'notice' | 'watcherStarting' | 'watcherReady' | 'watcherLost'>,
  { roots, sources }: Pick<Settings, 'roots' | 'sources'>,
  log: (message: string) => void,
  ending: AbortSignal,
): Promise<() => void> {
  const folders = roots.flatMap(({ root, within }) =>
    within !== undefined && leadsOutside(within, root) ? [] : root,
  );
  if (folders.length === 0) return () => {};
  const paths = new Set([...folders, ...sources.flatMap(({ requests }) => requests ?? [])]);
  library.watcherStarting();
  await sleep(WATCH_AFTER_MS, undefined, { signal: ending });
  let lost = false;
  const watcher = await watchRoots([...paths], {
    signal: ending,
    onChange: (changed) => library.notice(changed),
    onEnd(error) {
      lost = true;
      library.watcherLost();
      log(
        `The skill folders are not watched: ${error.message} They are checked between calls instead, which finds a change in a large catalog later.`,
      );
    },
  });
  if (!lost && !ending.aborted) library.watcherReady(() => watcher.flush());
  return () => watcher.close();
}

/** Delays between tries, ms: the first one, doubled after each failure, up to the longest. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export type Warmable = Pick<Library, 'isOpen' | 'current' | 'rebuild' | 'notice'>;

export interface WarmingOptions {
  readonly log: (message: string) => void;
  /** Ends the tries. */
  readonly signal: AbortSignal;
  /** Resolves after `ms`, or rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Opens the index of a library that is still being opened. Returns a function that says why calls cannot be answered
 * yet; null once they can be, whether this or a call opened the index.
 */
export function warming(opened: Promise<Warmable>, options: WarmingOptions): () => string | null {
  const { log, signal } = options;
  let library: Warmable | undefined;
  let reason = 'The index is being opened.';
  const logged = new Set<string>();
  const failed = (error: unknown) => {
    if (signal.aborted) return;
    reason = 'The index could not be opened; the log says why.';
    const message = errorMessage(error);
    if (!logged.has(message)) log(`The index could not be opened: ${message}`);
    logged.add(message);
  };
  const warm = async () => {
    library = await opened;
    await untilWarm(library, failed, options);
  };
  warm().catch(failed);
  return () => (library?.isOpen ? null : reason);
}

async function untilWarm(
  library: Warmable,
  failed: (error: unknown) => void,
  { signal, wait = (ms) => sleep(ms, undefined, { signal, ref: false }) }: WarmingOptions,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await retryRepaired(library, async () => (await library.current()).reader.readVectors());
    } catch (error) {
      failed(error);
    }
    await wait(backoffMs(failures, FIRST_DELAY_MS, LONGEST_WAIT_MS), signal);
  }
}
