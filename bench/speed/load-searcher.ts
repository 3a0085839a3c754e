/** Answers searches of an index through the library: in the thread that imports it, or as a thread of its own. */

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { diskDirectory } from '#index';
import { Library, openEmbedder, openGateway, ownThread } from '../../src/public.ts';
import type { SearchAnswer } from '../../src/search/answer.ts';
import { sourcesOf, still } from '../sources.ts';

export interface Searched {
  readonly index: string;
  readonly skills: readonly string[];
}

export interface Searcher {
  search(query: string): Promise<SearchAnswer>;
  close(): Promise<void>;
}

export async function openSearcher({ index, skills }: Searched): Promise<Searcher> {
  const models = new URL('../../models', import.meta.url).pathname;
  const embedder = await openEmbedder(undefined, { modelsFolder: models });
  const directory = diskDirectory(index);
  const library = new Library({
    sources: still(sourcesOf(skills)),
    directory,
    embedder,
    vectors: 'auto',
    crew: ownThread(directory, embedder),
    now: () => performance.now(),
    log: (message) => console.error(message),
  });
  const gateway = openGateway(library);
  return { search: (query) => gateway.search({ query, limit: 5 }), close: () => library.close() };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  // Given by `load-inside.ts`, which starts this file as a thread.
  const searcher = openSearcher(workerData as Searched);
  port.on('message', async ({ id, query }: { id: number; query: string }) => {
    port.postMessage({ id, answer: await (await searcher).search(query) });
  });
}
