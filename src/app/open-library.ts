/** Opens the library of the settings: embedder, index folder, sources and threads. */

import { hash } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type { Directory } from '../../index/directory/directory.ts';
import { diskDirectory } from '../../index/directory/disk.ts';
import type { Embedder } from '../../index/embedder.ts';
import { BackgroundThread } from '../catalog/indexing/background-indexing.ts';
import type { BackgroundIndexing } from '../catalog/indexing/options.ts';
import { inProcessWorker, mixedPool, ThreadPool, type WorkerPool } from '../catalog/indexing/worker-pool.ts';
import { Library, type LibraryOptions } from '../catalog/library.ts';
import { openEmbedder, openOrWordsOnly } from '../search/embedding/open.ts';
import { localSource } from '../sources/local.ts';
import { readCatalog } from '../sources/scan/catalog.ts';
import type { NamedRoot } from '../sources/scan/roots.ts';
import type { Source } from '../sources/source.ts';
import { IndexUse, type UsedIndex } from './index-use.ts';
import { wanted } from './load-extensions.ts';
import { modelsFolder, requireVectors } from './model.ts';
import { policyOf } from './open-policy.ts';
import type { Settings } from './settings.ts';

/** More threads gain little, since reading becomes the limit, and they starve the other work of the machine. */
const MAX_THREADS = 8;
/** Memory of a thread while it builds: the documents of a slice, their terms and vectors, and uncollected garbage. */
const THREAD_BYTES = 300 * 2 ** 20;
/** Memory of everything else with 100,000 skills: their names and stamps, the program, and the merge. */
const OTHER_BYTES = 800 * 2 ** 20;

/** A check of all folders that takes at most this long, ms, is never skipped: that of some 5,000 skills. */
const QUICK_MS = 250;

export interface OpenLibraryOptions {
  readonly log: (message: string) => void;
  readonly onProgress?: LibraryOptions['onProgress'];
  readonly patienceMs?: LibraryOptions['patienceMs'];
  /** Answer from a large index whose folders were checked within this time, ms. Default: check them first. */
  readonly maxAgeMs?: number;
  /** Default: the local folders of the settings. Among identical skills, the first source wins. */
  readonly sources?: readonly Source[];
  /** Update a large index in a separate thread, as a server does. Default false. */
  readonly inBackground?: boolean;
  /** Where the model cannot be loaded, answer by words alone from an index of their own, as a server does. Default false. */
  readonly orWordsOnly?: boolean;
  /** Whether every id has its source's name. Default: where the policy of the settings restricts. */
  readonly qualifyIds?: boolean;
  /** Others are served once the index is published. Default false. */
  readonly isPublished?: boolean;
  /** Default: the index folder of the settings, on disk. */
  readonly directory?: Directory;
}

/** The settings that a library needs. */
export type LibrarySettings = Pick<
  Settings,
  'roots' | 'indexFolder' | 'cacheFolder' | 'embedder' | 'vectors'
> &
  Partial<Pick<Settings, 'config' | 'sources' | 'indexOf' | 'shared'>>;

export async function openLibrary(asked: LibrarySettings, options: OpenLibraryOptions): Promise<Library> {
  await requireVectors(asked);
  const models = modelsFolder();
  const { settings, embedder, note } = await withModel(asked, options);
  const directory = options.directory ?? diskDirectory(settings.indexFolder);
  const onDisk = options.directory === undefined;
  const qualifyIds =
    options.qualifyIds ?? (settings.config !== undefined && policyOf(settings.config).restricts);
  const background =
    options.inBackground === true && onDisk
      ? backgroundIndexing(settings, models, qualifyIds, options.isPublished !== true)
      : undefined;
  const open = settings.config && (await wanted('learning', settings.config));
  const sources = options.sources ?? sourcesOf(settings.roots);
  const learning = await open?.(asked, note === undefined ? embedder : null, options.log);
  return new Library({
    learning,
    background,
    use: onDisk ? useOf(asked, options.log) : undefined,
    sources,
    shared: onDisk ? sharedIndex(settings, sources, models, embedder, qualifyIds) : undefined,
    pins: settings.config?.pinned,
    directory,
    embedder,
    note,
    vectors: settings.vectors,
    qualifyIds,
    workers: workerPool(settings, models, inProcessWorker(directory, embedder), onDisk),
    now: () => performance.now(),
    log: options.log,
    onProgress: options.onProgress,
    patienceMs: options.patienceMs,
    isPublished: options.isPublished,
    recent:
      options.maxAgeMs === undefined || !isLocal(settings)
        ? undefined
        : {
            maxAgeMs: options.maxAgeMs,
            quickMs: QUICK_MS,
            key: hash('sha256', JSON.stringify([settings.roots, qualifyIds])),
            time: Date.now,
          },
  });
}

/** The settings with their model, or else with none and an index folder of its own: the model's index waits for it. */
async function withModel(settings: LibrarySettings, { log, orWordsOnly = false }: OpenLibraryOptions) {
  const { cacheFolder } = settings;
  const downloading = new Set<string>();
  const openOptions = {
    modelsFolder: modelsFolder(),
    cacheFolder,
    onDownload(file: string) {
      if (!downloading.has(file)) log(`Downloading ${file} of ${settings.embedder}.`);
      downloading.add(file);
    },
  };
  if (!orWordsOnly) return { settings, embedder: await openEmbedder(settings.embedder, openOptions) };
  const { setting, embedder, failure } = await openOrWordsOnly(settings.embedder, openOptions);
  if (failure === undefined) return { settings, embedder };
  log(`${failure} Until the next start, skills are found by words alone.`);
  const wordsOnly = <Of extends { readonly indexFolder: string }>(of: Of) => ({
    ...of,
    indexFolder: join(of.indexFolder, 'words-only'),
  });
  return {
    settings: {
      ...wordsOnly(settings),
      embedder: setting,
      shared: settings.shared && wordsOnly(settings.shared),
    },
    embedder,
    note: `By words alone: ${failure}`,
  };
}

/** Of what is in the cache: an index that was named is its owner's, but may hold fetched sources. */
function useOf(
  { indexFolder: folder, indexOf = [], shared, cacheFolder, sources = [] }: LibrarySettings,
  log: (message: string) => void,
): IndexUse | undefined {
  const copies = sources.map(({ fetchFolder }) => fetchFolder).filter((path) => path !== '');
  const isCached = dirname(folder) === cacheFolder;
  if (!isCached && copies.length === 0) return undefined;
  const used: UsedIndex[] = isCached ? [{ folder, purpose: { of: indexOf, shared: false } }] : [];
  if (isCached && shared)
    used.push({ folder: shared.indexFolder, purpose: { of: [shared.indexOf], shared: true } });
  return new IndexUse(used, copies, cacheFolder, log);
}

/** The index of the sources that other projects have as well. */
function sharedIndex(
  settings: LibrarySettings,
  all: readonly Source[],
  models: string,
  embedder: Embedder,
  qualifyIds: boolean,
): LibraryOptions['shared'] {
  const { shared } = settings;
  if (!shared) return undefined;
  const sources = all.filter(({ name }) => shared.sources.includes(name));
  const directory = diskDirectory(shared.indexFolder);
  const own = { ...settings, indexFolder: shared.indexFolder };
  return {
    directory,
    sources: new Set(sources.map(({ name }) => name)),
    catalog: () => readCatalog(sources, undefined, qualifyIds),
    workers: workerPool(own, models, inProcessWorker(directory, embedder), true),
  };
}

const sourcesOf = (roots: readonly NamedRoot[]) => roots.map((root) => localSource(root));

/**
 * Threads need the built worker next to this file, and an index on disk. Other models than the shipped one use all
 * cores on their own, and one copy per thread would only cost memory.
 */
function workerPool(
  settings: LibrarySettings,
  modelsFolder: string,
  own: WorkerPool,
  onDisk: boolean,
): WorkerPool {
  const entry = new URL('./worker.js', import.meta.url);
  const built = import.meta.url.endsWith('.js');
  if (!built || !onDisk) return own;
  const setting = { indexFolder: settings.indexFolder, embedder: settings.embedder, modelsFolder };
  return mixedPool(
    own,
    new ThreadPool(entry, threadsFor(settings), setting),
    settings.embedder === undefined,
  );
}

const isLocal = ({ sources }: LibrarySettings) =>
  sources?.every(({ config }) => config.kind === 'local') ?? true;

const threadsFor = ({ embedder }: LibrarySettings) =>
  embedder === undefined ? threadsWithin(memoryLimit(), availableParallelism()) : 1;

/** Memory of the machine or limit of the container, whichever is smaller, in bytes. */
const memoryLimit = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Number of indexing threads for `memory` bytes and `cores`, from 1. */
export function threadsWithin(memory: number, cores: number): number {
  const affordable = Math.floor((memory - OTHER_BYTES) / THREAD_BYTES);
  return Math.max(1, Math.min(MAX_THREADS, cores, affordable));
}

/** Undefined where the thread is not built, or some source is not a local folder: the thread opens no other kind. */
function backgroundIndexing(
  settings: LibrarySettings,
  modelsFolder: string,
  qualifyIds: boolean,
  lowPriority: boolean,
): BackgroundIndexing | undefined {
  if (!import.meta.url.endsWith('.js') || !isLocal(settings)) return undefined;
  const { indexFolder, embedder, vectors, roots: sources, config } = settings;
  return new BackgroundThread(new URL('./background.js', import.meta.url), {
    ...{ indexFolder, embedder, modelsFolder, sources, vectors, qualifyIds, lowPriority },
    pins: config?.pinned,
    threads: threadsFor(settings),
  });
}
