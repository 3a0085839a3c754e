/** Opens the library of the settings: embedder, index folder, sources and threads. */

import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type { Directory } from '../../index/directory/directory.ts';
import type { Embedder } from '../../index/embedder.ts';
import { indexDirectory } from '../catalog/index-directory.ts';
import { BackgroundThread } from '../catalog/indexing/background-indexing.ts';
import type { BackgroundIndexing } from '../catalog/indexing/options.ts';
import { inProcessWorker, mixedPool, ThreadPool, type WorkerPool } from '../catalog/indexing/worker-pool.ts';
import { Library, type LibraryOptions } from '../catalog/library.ts';
import { openIndexFolder } from '../catalog/writable-index.ts';
import { compilePolicy } from '../gateway/policy/policy.ts';
import { openEmbedder, openOrWordsOnly } from '../search/embedding/open.ts';
import { localSource } from '../sources/local.ts';
import { readCatalog } from '../sources/scan/catalog.ts';
import type { NamedRoot } from '../sources/scan/roots.ts';
import type { Source } from '../sources/source.ts';
import { recordUse } from './cache.ts';
import { fromExtension } from './load-extensions.ts';
import { modelsFolder } from './model.ts';
import { threadScript } from './package-root.ts';
import { requireVectors } from './require-vectors.ts';
import type { Settings } from './settings.ts';

/** More threads gain little, since reading becomes the limit, and they starve the other work of the machine. */
const MAX_THREADS = 8;
/** Memory of a thread while it builds: the documents of a slice, their terms and vectors, and uncollected garbage. */
const THREAD_BYTES = 300 * 2 ** 20;
/** Memory of everything else with 100,000 skills: their names and stamps, the program, and the merge. */
const OTHER_BYTES = 800 * 2 ** 20;

/** How often use is recorded, ms: far more often than unused indexes are removed. */
const RECORD_MS = 3_600_000;

export interface OpenLibraryOptions {
  readonly log: (message: string) => void;
  readonly onProgress?: LibraryOptions['onProgress'];
  readonly patienceMs?: LibraryOptions['patienceMs'];
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
  Partial<Pick<Settings, 'config' | 'extensions' | 'sources' | 'shared'>>;

export async function openLibrary(asked: LibrarySettings, options: OpenLibraryOptions): Promise<Library> {
  const { config, extensions = [] } = asked;
  await requireVectors(asked);
  const models = modelsFolder();
  const { settings, embedder, note } = await withModel(asked, options);
  const sources = options.sources ?? toLocalSources(settings.roots);
  const place =
    options.directory === undefined
      ? await openIndexFolder(settings.indexFolder, sources)
      : { directory: options.directory, note: null };
  const { directory } = place;
  const onDisk = options.directory === undefined && place.note === null;
  if (place.note !== null) options.log(place.note);
  const qualifyIds =
    options.qualifyIds ?? (settings.config !== undefined && compilePolicy(settings.config.policy).restricts);
  const background =
    options.inBackground === true && onDisk
      ? backgroundIndexing(settings, models, qualifyIds, options.isPublished !== true)
      : undefined;
  const open = config && (await fromExtension('learning', { config, extensions }));
  const learning = await open?.(asked, note === undefined ? embedder : null, options.log);
  return new Library({
    learning,
    background,
    recordUse: onDisk ? useRecorder(asked) : undefined,
    sources,
    shared: onDisk ? sharedIndex(settings, sources, models, embedder, qualifyIds) : undefined,
    pins: settings.config?.pinned,
    directory,
    embedder,
    note: note ?? place.note ?? undefined,
    vectors: settings.vectors,
    qualifyIds,
    workers: workerPool(settings, models, inProcessWorker(directory, embedder), onDisk),
    now: () => performance.now(),
    log: options.log,
    onProgress: options.onProgress,
    patienceMs: options.patienceMs,
    isPublished: options.isPublished,
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
function useRecorder({ indexFolder, shared, cacheFolder, sources = [] }: LibrarySettings): () => void {
  const folders = [
    ...[indexFolder, ...(shared ? [shared.indexFolder] : [])].filter(
      (folder) => dirname(folder) === cacheFolder,
    ),
    ...sources.map(({ fetchFolder }) => fetchFolder).filter((path) => path !== ''),
  ];
  let recordedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = Date.now();
    if (now - recordedAt < RECORD_MS) return;
    recordedAt = now;
    for (const folder of folders) recordUse(folder, new Date(now));
  };
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
  const directory = indexDirectory(shared.indexFolder);
  const own = { ...settings, indexFolder: shared.indexFolder };
  return {
    directory,
    sources: new Set(sources.map(({ name }) => name)),
    catalog: () => readCatalog(sources, undefined, qualifyIds),
    workers: workerPool(own, models, inProcessWorker(directory, embedder), true),
  };
}

const toLocalSources = (roots: readonly NamedRoot[]) => roots.map((root) => localSource(root));

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
  const entry = threadScript('worker.js');
  if (entry === null || !onDisk) return own;
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
  const entry = threadScript('background.js');
  if (entry === null || !isLocal(settings)) return undefined;
  const { indexFolder, embedder, vectors, roots: sources, config } = settings;
  return new BackgroundThread(entry, {
    ...{ indexFolder, embedder, modelsFolder, sources, vectors, qualifyIds, lowPriority },
    pins: config?.pinned,
    threads: threadsFor(settings),
  });
}
