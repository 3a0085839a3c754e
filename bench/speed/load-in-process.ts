/**
 * Child process of `load.ts` for searches without a protocol: `node --import tsx load-in-process.ts <index> <queries>
 * <clients> <seconds> <threads> <skills>…`. Searches run in that many worker threads; with 0, in the main thread. Prints
 * a `LoadReport`.
 */

import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { SearchAnswer } from '../../src/search/answer.ts';
import { runClients } from './load.ts';
import { openSearcher, type Searcher, type SearcherOptions } from './load-searcher.ts';
import { readQueries } from './queries.ts';

const [index, queriesFile, clients, seconds, threads, ...skills] = process.argv.slice(2);
if (index === undefined || queriesFile === undefined)
  throw new Error('load-in-process.ts <index> <queries> <clients> <seconds> <threads> <skills>…');

const searched: SearcherOptions = { index, skills };
const count = Number(threads);
const searchers =
  count === 0
    ? [await openSearcher(searched)]
    : Array.from({ length: count }, () => inWorkerThread(searched));
const report = await runClients(
  Array.from({ length: Number(clients) }, (_, number) => async (query: string) => {
    // Yield to the event loop, as a request from outside would: otherwise timers and reads never run.
    await setImmediate();
    const answer = await searchers[number % searchers.length]!.search(query);
    return answer.query === query.trim() || answer.hits.length > 0;
  }),
  await readQueries(queriesFile),
  Number(seconds),
  () => process.memoryUsage.rss(),
);
await Promise.all(searchers.map((searcher) => searcher.close()));
process.stdout.write(JSON.stringify(report));

function inWorkerThread(workerData: SearcherOptions): Searcher {
  const entry = JSON.stringify(new URL('./load-searcher.ts', import.meta.url).href);
  // A worker thread of Node 20 cannot register a loader by argument.
  const start = `import('tsx/esm/api').then(({ register }) => { register(); return import(${entry}); })`;
  const worker = new Worker(start, { eval: true, workerData });
  const pending = new Map<number, (answer: SearchAnswer) => void>();
  let sent = 0;
  worker.on('message', ({ id, answer }: { id: number; answer: SearchAnswer }) => {
    pending.get(id)?.(answer);
    pending.delete(id);
  });
  return {
    search: (query) =>
      new Promise((resolve) => {
        sent += 1;
        pending.set(sent, resolve);
        worker.postMessage({ id: sent, query });
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}
