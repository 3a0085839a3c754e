/**
 * The work of the one writer: fetches the sources, indexes them in a folder of its own, and publishes each new generation. It begins
 * with the newest published one, so that only what has changed is indexed.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { diskDirectory } from '../../../index/directory/disk.ts';
import type { CatalogOptions, OpenSources } from '../../../src/app/catalog.ts';
import { followSources } from '../../../src/app/freshness.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { fetchFor } from '../../../src/app/open-sources.ts';
import type { Settings } from '../../../src/app/settings.ts';
import { watch } from '../../../src/app/watch.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { Library } from '../../../src/catalog/library.ts';
import { isNothing } from '../../../src/sources/scan/real-path.ts';
import type { SearchWriter } from '../database/search-writer.ts';
import type { IndexStore, Lease } from '../index-store.ts';
import { Publisher } from '../publish.ts';
import { pull } from '../pull.ts';
import { isStoreError } from '../store-error.ts';

/** How often the folders are looked at, ms. The library decides whether a check is due. */
const TICK_MS = 500;
/** Publications that are left out, a tick each, until a skill that has changed since it was indexed is indexed again. */
const WAITS = 20;
/** Longest wait for another process that writes into the same index folder, ms. */
const LOCK_MS = 30_000;

export interface WriterOptions extends Pick<CatalogOptions, 'log' | 'policy' | 'onProgress' | 'onSource'> {
  readonly settings: Settings;
  readonly sources: OpenSources;
  readonly store: IndexStore;
  /** Writes rows for searching in the database, where gateways do. */
  readonly rows?: SearchWriter;
  /** Skills of each source in the published index. */
  readonly published: () => Promise<ReadonlyMap<string, number>>;
}

/** Writes until the signal aborts, or the lease turns out to be lost. Rejects where this gateway cannot be the writer. */
export async function write(lease: Lease, signal: AbortSignal, options: WriterOptions): Promise<void> {
  const { settings, sources, store, rows, policy, log, onProgress, onSource } = options;
  const directory = diskDirectory(settings.indexFolder);
  const unlock = await directory.lock(LOCK_MS);
  try {
    await pull(store, lease.line, directory);
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
    qualifyIds: policy.restricts,
  });
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
    });
    await publishAll(lease, signal, library, publisher, log);
  } finally {
    ending.abort();
    await stopFollowing();
    await library.close();
    (await watching)();
  }
}

async function publishAll(
  lease: Lease,
  signal: AbortSignal,
  library: Library,
  publisher: Publisher,
  log: (message: string) => void,
): Promise<void> {
  let published: number | null = null;
  let failure: string | null = null;
  while (!signal.aborted) {
    try {
      const { reader } = await library.current();
      const { generation } = reader.manifest;
      if (generation !== published) {
        const newest = await publisher.publish(lease);
        published = newest?.generation ?? null;
      }
      failure = null;
    } catch (error) {
      if (isStoreError(error, 'STORE_FENCED', 'STORE_CONFLICT')) return log(error.message);
      const message = messageOf(error);
      if (message !== failure) log(`The index could not be published: ${message} It is tried again.`);
      failure = message;
    }
    await sleep(TICK_MS, undefined, { signal, ref: false }).catch(() => {});
  }
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
