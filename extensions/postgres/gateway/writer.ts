/**
 * The work of the one writer (`election.ts`): to fetch the sources, index them in a folder of its own, and publish each new
 * generation.
 *
 * It begins with the newest published one and compares it with the sources as they are: what this gateway had indexed before, or another
 * one had not published when it ended, counts for nothing.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Directory } from '../../../index/directory/directory.ts';
import type {
  CatalogOptions,
  Changes,
  Library,
  OpenSources,
  Settings,
} from '../../../src/app/extension-api.ts';
import { followSources, reportLate, watch } from '../../../src/app/freshness.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { fetchFor } from '../../../src/app/open-sources.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { indexDirectory } from '../../../src/catalog/index-directory.ts';
import { isNothing } from '../../../src/sources/scan/real-path.ts';
import { type IndexStore, isStoreError, type Lease, type PublishedIndex } from '../index-store.ts';
import { liveSkillsIn, Publisher } from '../publish.ts';
import { pull } from '../pull.ts';
import { collectGarbage } from './garbage.ts';

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
  /** This gateway's copy of the index, from which files are taken. */
  readonly copy: Directory;
  /** Called with the changes that this writer sees, and with null at its end. */
  readonly onChanges: (changes: Changes | null) => void;
  /** Text of skills that are gone leaves the store and all copies within this time, ms. */
  readonly purgeMs: number;
  /** Skills of each source in the published index. */
  readonly published: () => Promise<ReadonlyMap<string, number>>;
}

/** Writes until the signal aborts, or the lease turns out to be lost. Rejects where this gateway cannot be the writer. */
export async function write(lease: Lease, signal: AbortSignal, options: WriterOptions): Promise<void> {
  const { settings, sources, store, copy, policy, log, onProgress, onSource, purgeMs } = options;
  const directory = indexDirectory(settings.indexFolder);
  const unlock = await directory.lock(LOCK_MS);
  let pulled: PublishedIndex | null;
  try {
    pulled = await pull(store, lease.line, directory, copy);
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
  let collecting = Promise.resolve();
  const watching = watch(library, settings, log, AbortSignal.any([signal, ending.signal])).catch(
    () => () => {},
  );
  try {
    const publisher = new Publisher({
      store,
      directory,
      filesOf: (entry) => library.filesOf(entry),
      waits: WAITS,
      pulled,
    });
    const live = async () => liveSkillsIn((await library.current()).reader);
    collecting = collectGarbage(
      { store, line: lease.line, live, log, purgeMs, now: () => performance.now() },
      AbortSignal.any([signal, ending.signal]),
    );
    await publishAll(lease, signal, { library, publisher, pulled, log, purgeMs });
  } finally {
    ending.abort();
    await collecting;
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
  readonly purgeMs: number;
}

async function publishAll(
  lease: Lease,
  signal: AbortSignal,
  { library, publisher, pulled, log, purgeMs }: Publishing,
): Promise<void> {
  let published = pulled?.generation ?? null;
  let failure: string | null = null;
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const { reader } = await library.current();
      // A large catalog is otherwise checked once it is watched.
      if (isFirst && library.changes.some) library.notice();
      isFirst = false;
      const { generation } = reader.manifest;
      const upTo = library.changes.indexedUpTo;
      if (generation !== published) published = (await publisher.publish(lease))?.generation ?? null;
      if (published !== null && published >= generation) library.changes.committed(upTo);
      // The other half is for the removal of what was replaced, and for the copies.
      library.purge(Date.now() - purgeMs / 2);
      failure = null;
    } catch (error) {
      if (isStoreError(error, 'STORE_FENCED', 'STORE_CONFLICT')) return log(error.message);
      const message = errorMessage(error);
      if (message !== failure) log(`The index could not be published: ${message} It will be tried again.`);
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
