/** Searches an index through the library: in the thread that imports this file, or as a worker thread. */

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { inProcessWorker } from '../../src/catalog/indexing/worker-pool.ts';
import { Library } from '../../src/catalog/library.ts';
import { openGateway } from '../../src/gateway/pipeline.ts';
import type { SearchAnswer } from '../../src/search/answer.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { MODELS } from '../paths.ts';
import { scanOnce, sourcesOf } from '../sources.ts';

export interface SearcherOptions {
  readonly index: string;
  readonly skills: readonly string[];
}

export interface Searcher {
  search(query: string): Promise<SearchAnswer>;
  close(): Promise<void>;
}

export async function openSearcher({ index, skills }: SearcherOptions): Promise<Searcher> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const directory = indexDirectory(index);
  const library = new Library({
    sources: scanOnce(sourcesOf(skills)),
    directory,
    embedder,
    vectors: 'auto',
    workers: inProcessWorker(directory, embedder),
    now: () => performance.now(),
    log: (message) => console.error(message),
  });
  const gateway = openGateway(library);
  return { search: (query) => gateway.search({ query, limit: 5 }), close: () => library.close() };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  // `load-in-process.ts` starts this file as a thread, with these options.
  const searcher = openSearcher(workerData as SearcherOptions);
  port.on('message', async ({ id, query }: { id: number; query: string }) => {
    port.postMessage({ id, answer: await (await searcher).search(query) });
  });
}
