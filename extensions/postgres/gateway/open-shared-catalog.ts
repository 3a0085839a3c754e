/**
 * A server's catalog that it shares with other gateways: it answers from its own copy of the published index, and takes part in the
 * election of the writer.
 */

import { randomBytes } from 'node:crypto';
import { diskDirectory } from '../../../index/directory/disk.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import type { CatalogOptions, OpenCatalog } from '../../../src/app/catalog.ts';
import { milliseconds } from '../../../src/app/config/units.ts';
import { modelOf } from '../../../src/app/model.ts';
import { scriptsOf, staleNote } from '../../../src/app/open-catalog.ts';
import { openSources } from '../../../src/app/open-sources.ts';
import type { Settings } from '../../../src/app/settings.ts';
import { warming } from '../../../src/app/warming.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { Changes } from '../../../src/catalog/schedule.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import type { Interceptor } from '../../../src/gateway/intercept.ts';
import { catalogPipeline } from '../../../src/gateway/pipeline.ts';
import { StoreError } from '../index-store.ts';
import { SkillCache } from '../skill-cache.ts';
import { Follower } from './follower.ts';
import { copyFolderOf, holderOf, lineOf, openStore, type StoreConfig } from './open-store.ts';
import { takePart, write } from './writer.ts';

/** Memory for what is read from a database that is searched. */
const SEARCH_CACHE_BYTES = 128 * 2 ** 20;
/** Memory for files of skills. */
const SKILL_CACHE_BYTES = 64 * 2 ** 20;
/** How often a gateway asks whether it can be the writer, ms. */
const RETRY_MS = 1_000;

/** Opens while the first calls arrive, as `openCatalog` does. */
export async function openSharedCatalog(
  settings: Settings,
  config: StoreConfig,
  options: CatalogOptions,
): Promise<OpenCatalog> {
  const { environment, policy, log } = options;
  const { store, search } = openStore(config, environment);
  const sources = await openSources(settings, environment);
  const embedder = await modelOf(settings);
  const line = lineOf(embedder);
  const folder = copyFolderOf(settings);
  const directory = folder === null ? memoryDirectory() : diskDirectory(folder);
  const follower = new Follower({
    store,
    line,
    directory,
    embedder,
    vectors: settings.vectors,
    sources: settings.sources.map(({ name }) => name),
    pins: settings.config.pinned,
    now: () => performance.now(),
    log,
    ...(search !== null && {
      search: { rows: search.rows, cacheBytes: SEARCH_CACHE_BYTES },
    }),
    skills: new SkillCache(store, SKILL_CACHE_BYTES),
    maxStaleMs: milliseconds(config.maxStale),
  });
  follower.start();
  const { replica } = follower;
  const ending = new AbortController();
  const opened = Promise.resolve(replica);
  const notOpen = warming(opened, { log, signal: ending.signal });
  let changes: Changes | null = null;
  const logged = new Set<string>();
  const electing =
    config.role === 'reader'
      ? Promise.resolve()
      : takePart(
          {
            store,
            line,
            holder: holderOf(randomBytes(4).toString('hex')),
            ttlMs: milliseconds(config.lease),
            retryMs: RETRY_MS,
            async write(lease, lost) {
              log(`This gateway is the writer of the shared catalog (${lease.fence}).`);
              logged.clear();
              await write(lease, lost, {
                ...options,
                settings,
                sources,
                store,
                copy: search === null ? directory : null,
                onChanges(seen) {
                  changes = seen;
                },
                ...(search !== null && { rows: search.writer }),
                published: () => published(),
              });
            },
            onError(error) {
              const message = messageOf(error);
              if (!logged.has(message)) log(`The shared catalog is not written: ${message}`);
              logged.add(message);
            },
          },
          ending.signal,
        );
  const published = async () => {
    await replica.refresh();
    if (!replica.isOpen) return new Map<string, number>();
    const { reader } = await replica.current();
    return new Map(reader.facetCounts('source:').map(({ value, documents }) => [value, documents]));
  };
  const gateways = catalogPipeline({
    library: replica,
    policy,
    note: () => (follower.staleMs === 0 ? '' : staleNote(follower.staleMs)),
    guard: refusingWhatIsTooStale(follower),
    foldersAreElsewhere: true,
  });
  const scripts = scriptsOf(settings, options, opened);
  scripts?.catch(() => {});
  return {
    settings,
    sources,
    opened,
    scripts,
    notReady: () => (follower.isTooStale ? TOO_STALE : notOpen()),
    changes: () => changes?.status() ?? null,
    staleMs: () => follower.staleMs,
    gateway: async (principal) => gateways(principal),
    async close() {
      ending.abort();
      await electing;
      await (await scripts?.catch(() => null))?.close();
      await follower.close();
      await sources.close();
      await store.close();
    },
  };
}

const TOO_STALE = 'The store has been out of reach for longer than store.maxStale.';

/** Answers from the copy say how old it is; after a bounded time they are refused. */
const refusingWhatIsTooStale =
  (follower: Pick<Follower, 'isTooStale'>): Interceptor =>
  async (_, proceed) => {
    if (follower.isTooStale) throw unavailable(TOO_STALE);
    try {
      return await proceed();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw unavailable(
        'What this call needs is in the database, which does not answer, and is not held here.',
        error,
      );
    }
  };

const unavailable = (message: string, cause?: unknown) =>
  new GatewayError('CATALOG_UNAVAILABLE', message, { cause });
