/**
 * A server's catalog that it shares with other gateways: it answers from its own copy of the published index, and takes part in the
 * election of the writer.
 */

import { randomBytes } from 'node:crypto';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { milliseconds } from '../../../src/app/config/units.ts';
import type {
  CatalogOptions,
  Changes,
  Interceptor,
  OpenCatalog,
  Settings,
} from '../../../src/app/extension-api.ts';
import { warming } from '../../../src/app/freshness.ts';
import { openModel } from '../../../src/app/model.ts';
import { openScriptsIfOn, staleNote } from '../../../src/app/open-catalog.ts';
import { openSources } from '../../../src/app/open-sources.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { indexDirectory } from '../../../src/catalog/index-directory.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { catalogPipeline } from '../../../src/gateway/pipeline.ts';
import { StoreError } from '../index-store.ts';
import { SkillCache } from '../skill-cache.ts';
import { takePart } from './election.ts';
import { Follower } from './follower.ts';
import { copyFolderOf, holderOf, lineOf, openStore, type StoreConfig } from './open-store.ts';
import { write } from './writer.ts';

/** Memory for files of skills. */
const SKILL_CACHE_BYTES = 64 * 2 ** 20;
/** How often a gateway asks whether it can be the writer, ms. */
const RETRY_MS = 500;

/** Opens while the first calls arrive, as `openCatalog` does. */
export async function openSharedCatalog(
  settings: Settings,
  config: StoreConfig,
  options: CatalogOptions,
): Promise<OpenCatalog> {
  const { environment, policy, log } = options;
  const { store } = openStore(config, environment);
  const sources = await openSources(settings, environment);
  const embedder = await openModel(settings);
  const line = lineOf(embedder);
  const folder = copyFolderOf(settings);
  const directory = folder === null ? memoryDirectory() : indexDirectory(folder);
  const follower: Follower = new Follower({
    store,
    line,
    directory,
    embedder,
    vectors: settings.vectors,
    sources: settings.sources.map(({ name, config: { kind } }) => ({ name, isLocal: kind === 'local' })),
    pins: settings.config.pinned,
    now: () => performance.now(),
    log,
    skills: new SkillCache(store, { maxBytes: SKILL_CACHE_BYTES, isAway: () => follower.isAway }),
    maxStaleMs: milliseconds(config.maxStale),
  });
  follower.start();
  const { replica } = follower;
  const ending = new AbortController();
  const opened = Promise.resolve(replica);
  const notOpen = warming(opened, { log, signal: ending.signal });
  let changes: Changes | null = null;
  /** When the lease was last known to be this gateway's: it may be another's once it has expired. */
  let heldAt = Number.NEGATIVE_INFINITY;
  const ttlMs = milliseconds(config.lease);
  const logged = new Set<string>();
  const electing =
    config.role === 'reader'
      ? Promise.resolve()
      : takePart(
          {
            store,
            onHeld: (at) => {
              heldAt = at;
            },
            line,
            holder: holderOf(randomBytes(4).toString('hex')),
            ttlMs,
            retryMs: RETRY_MS,
            changes: () => (follower.isAway ? null : (changes?.status() ?? null)),
            onReleased: () => log('The shared catalog is left to another writer.'),
            async write(lease, lost) {
              log(`This gateway is the writer of the shared catalog (${lease.fence}).`);
              logged.clear();
              await write(lease, lost, {
                ...options,
                settings,
                sources,
                store,
                copy: directory,
                purgeMs: milliseconds(config.purgeWithin),
                onChanges(seen) {
                  changes = seen;
                },
                published: () => published(),
              });
            },
            onError(error) {
              const message = errorMessage(error);
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
  const scripts = openScriptsIfOn(settings, options, opened);
  scripts?.catch(() => {});
  return {
    roots: settings.roots,
    sources,
    opened,
    scripts,
    notReady: () => (follower.isTooStale ? TOO_STALE : notOpen()),
    changes: () => (performance.now() - heldAt > ttlMs ? null : (changes?.status() ?? null)),
    retire: () => ending.abort(),
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
      throw unavailable('This call needs a file of the database, which does not answer.', error);
    }
  };

const unavailable = (message: string, cause?: unknown) =>
  new GatewayError('CATALOG_UNAVAILABLE', message, { cause });
