/**
 * A process of its own for the load of `load.ts` without a protocol: `node --import tsx load-inside.ts <index>
 * <queries> <askers> <seconds> <skills>…`. Prints a `LoadReport`.
 */

import { setImmediate } from 'node:timers/promises';
import { diskDirectory } from '#index';
import { Library, openEmbedder, openGateway, ownThread } from '../../src/public.ts';
import { sourcesOf, still } from '../sources.ts';
import { askTogether } from './load.ts';
import { readQueries } from './queries.ts';

const [index, queriesFile, askers, seconds, ...skills] = process.argv.slice(2);
if (index === undefined || queriesFile === undefined)
  throw new Error('load-inside.ts <index> <queries> <askers> <seconds> <skills>…');

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
const ask = async (query: string) => {
  // Requests come from outside: askers that waited for promises alone would let no timer and no reading through.
  await setImmediate();
  const answer = await gateway.search({ query, limit: 5 });
  return answer.query === query.trim() || answer.hits.length > 0;
};
const report = await askTogether(
  Array.from({ length: Number(askers) }, () => ask),
  await readQueries(queriesFile),
  Number(seconds),
  () => process.memoryUsage.rss(),
);
await library.close();
process.stdout.write(JSON.stringify(report));
