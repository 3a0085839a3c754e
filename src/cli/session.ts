/** From settings to an open library, and back to a clean end. */

import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Directory, diskDirectory } from '#index';
import type { NamedRoot } from '../catalog/names.ts';
import { localSource } from '../catalog/sources/local.ts';
import type { Source } from '../catalog/sources/source.ts';
import { openEmbedder } from '../embed/open.ts';
import { Library, type LibraryOptions } from '../gateway/library.ts';
import { type Crew, mixedCrew, ownThread, workerThreads } from '../indexing/crew.ts';
import { type Upkeep, upkeepThread } from '../indexing/upkeep.ts';
import { packageRoot } from './package-root.ts';
import { policyOf } from './policy.ts';
import type { Settings } from './settings.ts';

/** More threads than this starve the machine's other work for little gain: reading is then the limit. */
const MAX_THREADS = 8;
/** What a thread takes while it builds: a slice's documents, their terms and vectors, and what waits to be collected. */
const THREAD_BYTES = 300 * 2 ** 20;
/** What all the rest takes with 100,000 skills: their names and stamps, the program, and the merge. */
const REST_BYTES = 800 * 2 ** 20;

export interface SessionOptions {
  readonly log: (message: string) => void;
  readonly onProgress?: LibraryOptions['onProgress'];
  readonly patienceMs?: LibraryOptions['patienceMs'];
  /** Default: the settings' local folders. The first leads where skills are identical. */
  readonly sources?: readonly Source[];
  /** Look after a large index in a thread of its own, as a server does. Default: in this one. */
  readonly besides?: boolean;
  /** Default: the settings' folder on disk. */
  readonly directory?: Directory;
}

/** What a library is opened by. */
export type LibrarySettings = Pick<
  Settings,
  'roots' | 'indexFolder' | 'cacheFolder' | 'embedder' | 'vectors'
> &
  Partial<Pick<Settings, 'config' | 'sources'>>;

export async function openLibrary(settings: LibrarySettings, options: SessionOptions): Promise<Library> {
  const modelsFolder = join(packageRoot(), 'models');
  const { cacheFolder } = settings;
  const downloading = new Set<string>();
  const embedder = await openEmbedder(settings.embedder, {
    modelsFolder,
    cacheFolder,
    onDownload(file) {
      if (!downloading.has(file)) options.log(`Downloading ${file} of ${settings.embedder}.`);
      downloading.add(file);
    },
  });
  const directory = options.directory ?? diskDirectory(settings.indexFolder);
  const onDisk = options.directory === undefined;
  const qualifyIds = settings.config !== undefined && policyOf(settings.config).restricts;
  const upkeep =
    options.besides === true && onDisk ? upkeepFor(settings, modelsFolder, qualifyIds) : undefined;
  return new Library({
    ...(upkeep === undefined ? {} : { upkeep }),
    sources: options.sources ?? sourcesOf(settings.roots),
    directory,
    embedder,
    vectors: settings.vectors,
    qualifyIds,
    crew: crewFor(settings, modelsFolder, ownThread(directory, embedder), onDisk),
    now: () => performance.now(),
    log: options.log,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  });
}

export const sourcesOf = (roots: readonly NamedRoot[]) => roots.map((root) => localSource(root));

/**
 * Threads need the built worker beside this file, and an index on disk. Other models than the shipped one use all
 * cores by themselves, and a copy of them a thread would only cost memory.
 */
function crewFor(settings: LibrarySettings, modelsFolder: string, own: Crew, onDisk: boolean): Crew {
  const entry = new URL('./worker.js', import.meta.url);
  const built = import.meta.url.endsWith('.js');
  if (!built || !onDisk) return own;
  const setting = { indexFolder: settings.indexFolder, embedder: settings.embedder, modelsFolder };
  return mixedCrew(own, workerThreads(entry, threadsFor(settings), setting), settings.embedder === undefined);
}

const threadsFor = ({ embedder }: LibrarySettings) =>
  embedder === undefined ? threadsWithin(memoryLimit(), availableParallelism()) : 1;

/** Memory of the machine, or what a container's limit leaves of it, bytes. */
const memoryLimit = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Threads that build side by side where there are `memory` bytes and `cores`, from 1. */
export function threadsWithin(memory: number, cores: number): number {
  const fitting = Math.floor((memory - REST_BYTES) / THREAD_BYTES);
  return Math.max(1, Math.min(MAX_THREADS, cores, fitting));
}

/** Undefined where the thread is not built, or would not see all sources: it opens local folders alone. */
function upkeepFor(settings: LibrarySettings, modelsFolder: string, qualifyIds: boolean): Upkeep | undefined {
  const allLocal = settings.sources?.every(({ config }) => config.kind === 'local') ?? true;
  if (!import.meta.url.endsWith('.js') || !allLocal) return undefined;
  const { indexFolder, embedder, vectors, roots: sources } = settings;
  const threads = threadsFor(settings);
  const setting = { indexFolder, embedder, modelsFolder, sources, vectors, qualifyIds, threads };
  return upkeepThread(new URL('./upkeep.js', import.meta.url), setting);
}
