/**
 * Child process of `store-search.ts`: `store-search-gateway.ts files|database <index> <queries> <searches> <cache bytes> <url>`.
 * Prints `Searched` as JSON.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../extensions/postgres/database/connect.ts';
import { PostgresStore } from '../extensions/postgres/database/postgres-store.ts';
import { SearchReader } from '../extensions/postgres/database/search-reader.ts';
import { pull } from '../extensions/postgres/pull.ts';
import { RemoteCache } from '../extensions/postgres/remote/cache.ts';
import { RemoteCandidates } from '../extensions/postgres/remote/candidates.ts';
import { diskDirectory } from '../index/directory/disk.ts';
import { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { type Searchable, search } from '../src/search/search.ts';
import { peakResident } from './machine.ts';
import { MODELS } from './paths.ts';
import { readQueries } from './speed/queries.ts';
import { LINE, SCHEMA, type Searched } from './store-search.ts';

const TOP = 10;
const now = () => performance.now();

const [where, index, queriesFile, searches, cacheBytes, url] = process.argv.slice(2);
if (index === undefined || queriesFile === undefined || url === undefined)
  throw new Error('store-search-gateway.ts files|database <index> <queries> <searches> <cache bytes> <url>');

const started = now();
const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
const queries = await readQueries(queriesFile);
const cache = new RemoteCache(Number(cacheBytes));
const database = connect({ url, connections: 4, timeoutMs: 600_000 });
const rows = new SearchReader(database, SCHEMA);
const folder = mkdtempSync(join(tmpdir(), 'skillgate-outline-'));
try {
  const directory = diskDirectory(where === 'files' ? index : folder);
  if (where === 'database') await pull(new PostgresStore(database, SCHEMA), LINE, directory, rows);
  const reader = Reader.open(directory, { embedder });
  if (reader === null) throw new Error('There is no index.');
  const searchable: Searchable = {
    reader,
    embedder,
    now,
    ...(where === 'database' && {
      candidatesOf: (own: Reader) => new RemoteCandidates(own, rows, cache),
    }),
  };
  const trips: number[] = [];
  const ask = async (query: string) => {
    const before = rows.roundTrips;
    const answer = await search({ query, limit: TOP }, searchable);
    trips.push(rows.roundTrips - before);
    return answer.hits.map(({ entry }) => ({ id: entry.id }));
  };
  const hits = [await ask(queries[0]!)];
  const openMs = now() - started;
  for (const query of queries.slice(1)) hits.push(await ask(query));
  const warm = trips.length;
  const times: number[] = [];
  const cpu = process.cpuUsage();
  while (times.length < Number(searches)) {
    const at = now();
    await ask(queries[times.length % queries.length]!);
    times.push(now() - at);
  }
  const { user, system } = process.cpuUsage(cpu);
  const later = trips.slice(warm);
  const result: Searched = {
    skills: reader.documents,
    hits,
    times,
    cpuMs: (user + system) / 1_000 / times.length,
    openMs,
    mostTrips: Math.max(...trips),
    meanTrips: later.reduce((sum, each) => sum + each, 0) / Math.max(1, later.length),
    peakBytes: peakResident(),
    cacheBytes: cache.bytes,
  };
  process.stdout.write(JSON.stringify(result));
  reader.close();
} finally {
  await database.close();
  rmSync(folder, { recursive: true });
}
