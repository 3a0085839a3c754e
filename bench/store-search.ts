/**
 * Searches in a database against searches in the files of the same index: which hits agree, how long a search takes, round
 * trips, memory of a gateway, size of the database. Starts a PostgreSQL server with pgvector of its own.
 */

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { quantile } from '../extensions/lab/statistics.ts';
import { columns } from '../extensions/lab/table.ts';
import { connect } from '../extensions/postgres/database/connect.ts';
import { migrate } from '../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../extensions/postgres/database/postgres-store.ts';
import { migrateSearch } from '../extensions/postgres/database/search-tables.ts';
import { SearchWriter } from '../extensions/postgres/database/search-writer.ts';
import { Publisher } from '../extensions/postgres/publish.ts';
import { diskDirectory } from '../index/directory/disk.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { postgresServer } from '../test/postgres.ts';
import { machine } from './machine.ts';
import { here, MODELS } from './paths.ts';
import { publish } from './results-file.ts';

export const SCHEMA = 'bench';
export const LINE = 'bench';
const HOUR_MS = 3_600_000;

/** What one process that searches reports. */
export interface Searched {
  readonly skills: number;
  /** Of each query: ids of the first ten hits. */
  readonly hits: readonly (readonly { readonly id: string }[])[];
  /** Of each search after the first round, ms, and CPU time of this process a search, ms. */
  readonly times: readonly number[];
  readonly cpuMs: number;
  /** Until the first answer, ms. */
  readonly openMs: number;
  /** Most round trips of one search, and the mean after the first round. */
  readonly mostTrips: number;
  readonly meanTrips: number;
  /** Most memory of the process, bytes, and what it has read from the database at the end. */
  readonly peakBytes: number;
  readonly cacheBytes: number;
}

interface StoreSearchOptions {
  readonly index: string;
  readonly queries?: string;
  readonly searches: number;
  readonly cache: number;
  /** URL. */
  readonly database?: string;
  readonly write?: string;
}

export async function measureStoreSearch(options: StoreSearchOptions): Promise<void> {
  const server =
    options.database === undefined
      ? await postgresServer(['shared_buffers=256MB', 'maintenance_work_mem=1GB', 'max_wal_size=8GB'])
      : null;
  const url = options.database ?? server!.url;
  const { dimensions } = await openEmbedder(undefined, { modelsFolder: MODELS });
  const database = connect({ url, connections: 4, timeoutMs: HOUR_MS });
  try {
    await migrate(database, SCHEMA);
    await migrateSearch(database, SCHEMA, dimensions);
    const store = new PostgresStore(database, SCHEMA);
    const lease = await store.acquire(LINE, 'bench', HOUR_MS);
    if (lease === null) throw new Error('The lease is taken.');
    const started = performance.now();
    await new Publisher({
      store,
      directory: diskDirectory(options.index),
      rows: new SearchWriter(database, SCHEMA),
      // Files of skills are not searched.
      filesOf: async () => [],
    }).publish(lease);
    const publishMs = performance.now() - started;
    await store.release(lease);
    await database.query('analyze');
    await buildProgram();
    const files = await searchedBy('files', options, url);
    const remote = await searchedBy('database', options, url);
    const { recall, firsts } = agreement(files, remote);
    const sizes = await database.query<{ name: string; bytes: number }>(
      `select relname as name, pg_total_relation_size(c.oid)::float8 as bytes from pg_class c
       where relnamespace = '${SCHEMA}'::regnamespace and relkind = 'r' order by 2 desc`,
    );
    const [graph] = await database.query<{ bytes: number }>(
      `select pg_relation_size('${SCHEMA}.search_vector_${dimensions}')::float8 as bytes`,
    );
    const sizeOf = (name: string) => sizes.find((size) => size.name === name)?.bytes ?? 0;
    await publish(
      {
        name: `store-search-${files.skills}`,
        title: `Search in the database, ${files.skills} skills`,
        figures: [
          `${files.skills} skills${server === null ? '' : `, published with their rows in ${(publishMs / 1_000).toFixed(0)} s`}`,
          columns([
            ['', 'p50 ms', 'p99 ms', 'CPU ms', 'first ms', 'peak MB'],
            rowOf('files', files),
            rowOf('database', remote),
          ]),
          `recall@10 ${recall.toFixed(3)}; ${firsts} of ${files.hits.length} queries have the same first hit`,
          `round trips of a search: ${remote.meanTrips.toFixed(2)}, at most ${remote.mostTrips}; cache ${mega(remote.cacheBytes)} of ${mega(options.cache)} MB`,
          `database: segments ${mega(sizeOf('chunk'))} MB, postings ${mega(sizeOf('search_posting'))} MB, vectors ${mega(sizeOf('search_vector'))} MB of which the graph ${mega(graph?.bytes ?? 0)} MB`,
        ].join('\n'),
        conditions: `${machine().cores} cores of ${machine().cpu}; server and gateway share them. Each query once before.`,
      },
      options.write,
    );
  } finally {
    rmSync(PROGRAM, { force: true });
    await database.close();
    await server?.remove();
  }
}

/** Bundled as the product is: compiling TypeScript while it runs takes a hundred megabytes. */
const PROGRAM = here('store-search-gateway.bundle.mjs');

const buildProgram = () =>
  build({
    entryPoints: [here('store-search-gateway.ts')],
    outfile: PROGRAM,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });

/** Runs `store-search-gateway.ts`, a process that does nothing else. */
function searchedBy(
  where: 'files' | 'database',
  { index, queries = here('datasets/examples/queries.jsonl'), searches, cache }: StoreSearchOptions,
  url: string,
): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [PROGRAM, where, index, queries, String(searches), String(cache), url],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    child.on('error', reject).on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text) as Searched);
      else reject(new Error(`The process that searches ${where} ended with ${code}.`));
    });
  });
}

interface Agreement {
  /** Share of the first ten hits from the files that the database finds. */
  readonly recall: number;
  /** Queries with the same first hit. */
  readonly firsts: number;
}

function agreement(files: Searched, remote: Searched): Agreement {
  let [found, wanted, firsts] = [0, 0, 0];
  files.hits.forEach((own, at) => {
    const others = remote.hits[at]!;
    const ids = new Set(others.map(({ id }) => id));
    wanted += own.length;
    found += own.filter(({ id }) => ids.has(id)).length;
    if (own[0]?.id === others[0]?.id) firsts += 1;
  });
  return { recall: wanted === 0 ? 1 : found / wanted, firsts };
}

const mega = (bytes: number) => Math.round(bytes / 2 ** 20);

function rowOf(name: string, { times, cpuMs, openMs, peakBytes }: Searched): string[] {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return [name, p50.toFixed(1), p99.toFixed(1), cpuMs.toFixed(1), openMs.toFixed(0), String(mega(peakBytes))];
}
