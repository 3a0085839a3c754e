/**
 * The one writer: the election of it, and its work, which is to fetch the sources, index them in a folder of its own, and publish
 * each new generation.
 *
 * It begins with the newest published one and compares it with the sources as they are: what this gateway had indexed before, or another
 * one had not published when it ended, counts for nothing.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Directory } from '../../../index/directory/directory.ts';
import { diskDirectory } from '../../../index/directory/disk.ts';
import type { CatalogOptions, OpenSources } from '../../../src/app/catalog.ts';
import { followSources, reportLate, watch } from '../../../src/app/freshness.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { fetchFor } from '../../../src/app/open-sources.ts';
import type { Settings } from '../../../src/app/settings.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { Library } from '../../../src/catalog/library.ts';
import type { Changes } from '../../../src/catalog/schedule.ts';
import { isNothing } from '../../../src/sources/scan/real-path.ts';
import type { SearchWriter } from '../database/search-writer.ts';
import { type IndexStore, isStoreError, type Lease, type PublishedIndex } from '../index-store.ts';
import { Publisher } from '../publish.ts';
import { pull, withHeld } from '../pull.ts';

/** How often the folders are looked at, ms, where no change is reported. The library decides whether a check is due. */
const TICK_MS = 500;
/** Publications that are left out, a tick each, until a skill that has changed since it was indexed is indexed again. */
const WAITS = 20;
/** Longest wait for another process that writes into the same index folder, ms. */
const LOCK_MS = 30_000;

export interface WriterOptions extends Pick<CatalogOptions, 'log' | 'policy' | 'onProgress' | 'onSource'> {
  readonly settings: Settings;
  readonly sources: OpenSources;
  readonly store: IndexStore;
  /** This gateway's copy of the index, from which files are taken; null where it has none. */
  readonly copy: Directory | null;
  /** Writes rows for searching in the database, where gateways do. */
  readonly rows?: SearchWriter;
  /** Called with the changes that this writer sees, and with null at its end. */
  readonly onChanges: (changes: Changes | null) => void;
  /** Skills of each source in the published index. */
  readonly published: () => Promise<ReadonlyMap<string, number>>;
}

/** Writes until the signal aborts, or the lease turns out to be lost. Rejects where this gateway cannot be the writer. */
export async function write(lease: Lease, signal: AbortSignal, options: WriterOptions): Promise<void> {
  const { settings, sources, store, copy, rows, policy, log, onProgress, onSource } = options;
  const directory = diskDirectory(settings.indexFolder);
  const unlock = await directory.lock(LOCK_MS);
  let pulled: PublishedIndex | null;
  try {
    pulled = await pull(copy === null ? store : withHeld(store, copy), lease.line, directory);
  } finally {
    await unlock();
  }
  await fetchFor('missing', sources, settings, { now: Date.now, log, signal });
  await requireSources(options);
  const library = await openLibrary(settings, {
    log,
    onProgress,
    sources: sources.all,
    inBackground: true,
    isPublished: true,
    qualifyIds: policy.restricts,
  });
  const stopReporting = reportLate(library.changes, log);
  options.onChanges(library.changes);
  const stopFollowing = followSources(sources, library, log, onSource);
  const ending = new AbortController();
  const watching = watch(library, settings.roots, log, AbortSignal.any([signal, ending.signal])).catch(
    () => () => {},
  );
  try {
    const publisher = new Publisher({
      store,
      directory,
      filesOf: (entry) => library.filesOf(entry),
      ...(rows && { rows }),
      waits: WAITS,
      pulled,
    });
    await publishAll(lease, signal, { library, publisher, pulled, log });
  } finally {
    ending.abort();
    stopReporting();
    options.onChanges(null);
    await stopFollowing();
    await library.close();
    (await watching)();
  }
}

interface Publishing {
  readonly library: Library;
  readonly publisher: Publisher;
  readonly pulled: PublishedIndex | null;
  readonly log: (message: string) => void;
}

async function publishAll(
  lease: Lease,
  signal: AbortSignal,
  { library, publisher, pulled, log }: Publishing,
): Promise<void> {
  let published = pulled?.generation ?? null;
  let failure: string | null = null;
  while (!signal.aborted) {
    try {
      const { reader } = await library.current();
      const { generation } = reader.manifest;
      const upTo = library.changes.indexedUpTo;
      if (generation !== published) published = (await publisher.publish(lease))?.generation ?? null;
      if (published !== null && published >= generation) library.changes.committed(upTo);
      failure = null;
    } catch (error) {
      if (isStoreError(error, 'STORE_FENCED', 'STORE_CONFLICT')) return log(error.message);
      const message = messageOf(error);
      if (message !== failure) log(`The index could not be published: ${message} It is tried again.`);
      failure = message;
    }
    await nextChange(library, signal);
  }
}

/** Resolves once there is a new generation, but no later than the folders are to be looked at. */
async function nextChange(library: Library, signal: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const stop = library.onChange(() => changed.abort());
  const either = AbortSignal.any([signal, changed.signal]);
  await sleep(TICK_MS, undefined, { signal: either, ref: false }).catch(() => {});
  stop();
}

/**
 * A source that is missing here, but whose skills are published, would be published as empty. Then another gateway should be the
 * writer.
 */
async function requireSources({ settings, sources, published }: WriterOptions): Promise<void> {
  const skills = await published();
  const missing = [
    ...sources.fetched.filter((source) => source.status().resolved === null).map(({ name }) => name),
    ...settings.roots.filter(({ root }) => isNothing(root)).map(({ name }) => name),
  ].filter((name) => (skills.get(name) ?? 0) > 0);
  if (missing.length > 0)
    throw new Error(
      `This gateway does not write: it cannot read ${missing.join(', ')}, whose skills are published. Make the source available here, or set store.role to reader.`,
    );
}

export interface ElectionOptions {
  readonly store: Pick<IndexStore, 'acquire' | 'renew' | 'release'>;
  readonly line: string;
  /** Unique among gateways; names this one in `store status`. */
  readonly holder: string;
  /** How long the lease lasts after each renewal, ms: a dead writer is replaced after at most this and one `retryMs`. */
  readonly ttlMs: number;
  /** How often a gateway asks for the lease, ms. */
  readonly retryMs: number;
  /** Works as the writer until the signal aborts, or until it gives up. */
  readonly write: (lease: Lease, lost: AbortSignal) => Promise<void>;
  /** Called for a failure, which is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Renewals of one lease's time: two may fail. */
const RENEWALS = 4;

/** Takes part until the signal aborts; then gives the lease back. Never rejects. */
export async function takePart(options: ElectionOptions, signal: AbortSignal): Promise<void> {
  const { store, line, holder, ttlMs, retryMs, onError } = options;
  while (!signal.aborted) {
    const lease = await store.acquire(line, holder, ttlMs).catch((error: unknown) => {
      onError(error);
      return null;
    });
    if (lease !== null) await holdLease(lease, options, signal);
    await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function holdLease(
  lease: Lease,
  { store, ttlMs, write, onError }: ElectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const ending = AbortSignal.any([signal, lost.signal]);
  const renewing = (async () => {
    while (!ending.aborted) {
      await sleep(ttlMs / RENEWALS, undefined, { signal: ending, ref: false }).catch(() => {});
      if (ending.aborted) return;
      // While the store is out of reach nobody else can take the lease, and it is renewed once the store is back.
      const isOurs = await store.renew(lease, ttlMs).catch((error: unknown) => {
        onError(error);
        return true;
      });
      if (!isOurs) lost.abort();
    }
  })();
  try {
    await write(lease, ending);
  } catch (error) {
    onError(error);
  } finally {
    lost.abort();
    await renewing;
    await store.release(lease).catch(() => {});
  }
}
