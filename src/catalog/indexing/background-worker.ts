/** Entry of the thread of `background-indexing.ts`: reads the catalog, and indexes what changed. */

import { constants, setPriority } from 'node:os';
import { readManifest } from '../../../index/manifest.ts';
import { localSource } from '../../sources/local.ts';
import { readCatalog } from '../../sources/scan/catalog.ts';
import { performRequests } from '../threads.ts';
import type { BackgroundWork } from './background-indexing.ts';
import { isUpToDate } from './baseline.ts';
import { runIndexing } from './run.ts';
import { inProcessWorker, mixedPool, openSetting, ThreadPool } from './worker-pool.ts';

const work: BackgroundWork = async (setting, report, ending) => {
  // On Linux alone this is the priority of a thread, and of those it starts; elsewhere it is that of the whole process.
  if (setting.lowPriority && process.platform === 'linux')
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const { directory, embedder: open } = openSetting(setting);
  const { sources, vectors, qualifyIds, pins } = setting;
  const catalog = await readCatalog(sources.map(localSource), ending, qualifyIds);
  const manifest = readManifest(directory);
  if (manifest !== null && (await isUpToDate(directory, manifest, catalog, vectors))) return null;
  const embedder = await open();
  const threads = new ThreadPool(new URL('./worker.js', import.meta.url), setting.threads, setting);
  const workers = mixedPool(inProcessWorker(directory, embedder), threads, setting.embedder === undefined);
  ending.addEventListener('abort', () => void workers.close());
  ending.throwIfAborted();
  try {
    return await runIndexing(catalog, {
      directory,
      embedder,
      vectors,
      pins,
      isPublished: !setting.lowPriority,
      workers,
      now: () => performance.now(),
      onProgress: report,
      onCommit: () => report('committed'),
    });
  } finally {
    await workers.close();
  }
};
performRequests(work);
