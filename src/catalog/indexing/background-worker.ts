/** Entry of the thread of `background-indexing.ts`: reads the catalog, runs once if it changed, and ends. */

import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readManifest } from '../../../index/manifest.ts';
import { localSource } from '../../sources/local.ts';
import { readCatalog } from '../../sources/scan/catalog.ts';
import type { BackgroundReply, BackgroundSetting } from './background-indexing.ts';
import type { IndexReport } from './report.ts';
import { runIndexing } from './run.ts';
import { isUpToDate } from './up-to-date.ts';
import { failureOf, inProcessWorker, mixedPool, openSetting, ThreadPool } from './worker-pool.ts';

// Sent by `BackgroundThread`, the only one to start this file.
const setting = workerData as BackgroundSetting;
const port = parentPort;
if (port === null) throw new Error('background-worker.ts runs as a worker thread only.');
const reply = (message: BackgroundReply) => port.postMessage(message);

// On Linux alone this is the priority of a thread, and of those it starts; elsewhere it is that of the whole process.
if (setting.lowPriority && process.platform === 'linux')
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const stopping = new AbortController();
let closeWorkers = async () => {};
port.on('message', () => {
  stopping.abort();
  void closeWorkers();
});

try {
  reply({ kind: 'done', report: await updateOnce() });
} catch (error) {
  reply({ kind: 'failure', failure: failureOf(error) });
} finally {
  port.close();
}

async function updateOnce(): Promise<IndexReport | null> {
  const { directory, embedder: open } = openSetting(setting);
  const { sources, vectors, qualifyIds, pins } = setting;
  const catalog = await readCatalog(sources.map(localSource), stopping.signal, qualifyIds);
  const manifest = readManifest(directory);
  if (manifest !== null && (await isUpToDate(directory, manifest, catalog, vectors))) return null;
  const embedder = await open();
  const threads = new ThreadPool(new URL('./worker.js', import.meta.url), setting.threads, setting);
  const workers = mixedPool(inProcessWorker(directory, embedder), threads, setting.embedder === undefined);
  closeWorkers = () => workers.close();
  stopping.signal.throwIfAborted();
  try {
    return await runIndexing(catalog, {
      directory,
      embedder,
      vectors,
      pins,
      workers,
      now: () => performance.now(),
      onProgress: (progress) => reply({ kind: 'progress', progress }),
      onCommit: () => reply({ kind: 'committed' }),
    });
  } finally {
    await workers.close();
  }
}
