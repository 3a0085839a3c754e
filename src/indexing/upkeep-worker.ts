/** Entry of the thread that brings the index up to date (`upkeep.ts`): one look at the folders, one run, the end. */

import { parentPort, workerData } from 'node:worker_threads';
import { readManifest } from '#index';
import { readCatalog } from '../catalog/catalog.ts';
import { localSource } from '../catalog/sources/local.ts';
import { failureOf, mixedCrew, openSetting, ownThread, workerThreads } from './crew.ts';
import { isInLine } from './in-line.ts';
import type { IndexReport } from './report.ts';
import { runIndexing } from './run.ts';
import type { UpkeepReply, UpkeepSetting } from './upkeep.ts';

// Sent by `upkeepThread`, which is the only one to start this file.
const setting = workerData as UpkeepSetting;
const port = parentPort;
if (port === null) throw new Error('upkeep-worker.ts runs as a worker thread only.');
const reply = (message: UpkeepReply) => port.postMessage(message);

const stopping = new AbortController();
let stopCrew = async () => {};
port.on('message', () => {
  stopping.abort();
  void stopCrew();
});

try {
  reply({ kind: 'done', report: await bringUpToDate() });
} catch (error) {
  reply({ kind: 'failure', failure: failureOf(error) });
} finally {
  port.close();
}

async function bringUpToDate(): Promise<IndexReport | null> {
  const { directory, embedder: open } = openSetting(setting);
  const { sources, vectors, qualifyIds } = setting;
  const catalog = await readCatalog(sources.map(localSource), stopping.signal, qualifyIds);
  const manifest = readManifest(directory);
  if (manifest !== null && (await isInLine(directory, manifest, catalog, vectors))) return null;
  const embedder = await open();
  const others = workerThreads(new URL('./worker.js', import.meta.url), setting.threads, setting);
  const crew = mixedCrew(ownThread(directory, embedder), others, setting.embedder === undefined);
  stopCrew = () => crew.close();
  stopping.signal.throwIfAborted();
  try {
    return await runIndexing(catalog, {
      directory,
      embedder,
      vectors,
      crew,
      now: () => performance.now(),
      onProgress: (progress) => reply({ kind: 'progress', progress }),
    });
  } finally {
    await crew.close();
  }
}
