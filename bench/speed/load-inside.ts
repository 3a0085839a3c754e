/**
 * A process of its own for the load of `load.ts` without a protocol: `node --import tsx load-inside.ts <index>
 * <queries> <askers> <seconds> <threads> <skills>…`. Searches run in so many threads, or in the askers' own where 0.
 * Prints a `LoadReport`.
 */

import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { SearchAnswer } from '../../src/search/answer.ts';
import { askTogether } from './load.ts';
import { openSearcher, type Searched, type Searcher } from './load-searcher.ts';
import { readQueries } from './queries.ts';

const [index, queriesFile, askers, seconds, threads, ...skills] = process.argv.slice(2);
if (index === undefined || queriesFile === undefined)
  throw new Error('load-inside.ts <index> <queries> <askers> <seconds> <threads> <skills>…');

const searched: Searched = { index, skills };
const count = Number(threads);
const searchers =
  count === 0 ? [await openSearcher(searched)] : Array.from({ length: count }, () => inThread(searched));
const report = await askTogether(
  Array.from({ length: Number(askers) }, (_, number) => async (query: string) => {
    // Requests come from outside: askers that waited for promises alone would let no timer and no reading through.
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

function inThread(workerData: Searched): Searcher {
  const entry = JSON.stringify(new URL('./load-searcher.ts', import.meta.url).href);
  // A thread of Node 20 takes no loader from its arguments.
  const start = `import('tsx/esm/api').then(({ register }) => { register(); return import(${entry}); })`;
  const worker = new Worker(start, { eval: true, workerData });
  const waiting = new Map<number, (answer: SearchAnswer) => void>();
  let asked = 0;
  worker.on('message', ({ id, answer }: { id: number; answer: SearchAnswer }) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return {
    search: (query) =>
      new Promise((resolve) => {
        asked += 1;
        waiting.set(asked, resolve);
        worker.postMessage({ id: asked, query });
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}
