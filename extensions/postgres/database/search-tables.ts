/**
 * Tables for searching in the database: postings of each segment, a row per term and block, and the summary vectors of its
 * documents with an HNSW graph (pgvector). Rows of a segment never change, and belong to a generation once one names the
 * segment. They need the extension `vector`, so they have migrations of their own.
 */

import { messageOf } from '../../../src/base/errors.ts';
import { StoreError } from '../index-store.ts';
import type { Database, Querying } from './connect.ts';
import { migrate, type Step } from './migrations.ts';

const STEPS: readonly Step[] = [
  {
    name: 'postings-and-vectors',
    sql: (s) => `
      create table ${s}.search_segment (
        id int generated always as identity primary key, name text not null unique, sha256 text not null,
        ready boolean not null default false, added_at timestamptz not null default now());
      create table ${s}.search_posting (
        segment int references ${s}.search_segment on delete cascade, term bigint, block int,
        postings bytea not null, primary key (segment, term, block));
      create table ${s}.search_vector (
        segment int references ${s}.search_segment on delete cascade, document int,
        vector halfvec not null, primary key (segment, document));`,
  },
];

/** The version of pgvector that has `halfvec` and filters by iterative scan. */
const MIN_VERSION = [0, 8];
/** Links of a row, and candidates for them: pgvector's defaults. `bench/store-search.ts` shows the recall. */
const GRAPH = 'm = 16, ef_construction = 64';
/** Candidates of a search in the graph: at least these, and this many times those asked for. */
const EF_LEAST = 120;

const versionTable = (schema: string) => `${schema}.search_version`;

/**
 * Creates or updates the tables, and the graph for vectors of this many dimensions. Returns the names of the steps that it
 * took. Rejects with `STORE_MISSING` where the server does not have pgvector.
 */
export async function migrateSearch(
  database: Database,
  schema: string,
  dimensions: number,
): Promise<string[]> {
  await requireVector(database);
  const taken = await migrate(database, schema, STEPS, versionTable(schema));
  for (const statement of graphOf(schema, dimensions)) await database.query(statement);
  return taken;
}

/** Creates the extension where it may. */
async function requireVector(database: Querying): Promise<void> {
  const advice =
    'Install pgvector 0.8 or newer on the database server (Debian: the package postgresql-<version>-pgvector), run CREATE EXTENSION vector as its superuser, then skillgate store init again; or set store.search to copy.';
  const missing = (what: string, cause?: unknown) =>
    new StoreError('STORE_MISSING', `store.search: database needs pgvector: ${what} ${advice}`, { cause });
  const installed = () =>
    database.query<{ version: string }>(
      `select extversion as version from pg_extension where extname = 'vector'`,
    );
  let [found] = await installed();
  if (found === undefined) {
    await database.query('create extension if not exists vector').catch((error: unknown) => {
      throw missing(`${messageOf(error)}.`, error);
    });
    [found] = await installed();
  }
  const [major = 0, minor = 0] = (found?.version ?? '').split('.').map(Number);
  if (major < MIN_VERSION[0]! || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]!))
    throw missing(`it has version ${found?.version}.`);
}

/** The name of the function that searches vectors of so many dimensions. */
export const nearestFunction = (schema: string, dimensions: number) =>
  `${schema}.search_nearest_${dimensions}`;

/**
 * A graph needs vectors of one length, and a search of it settings of its own: a function has them, so that connections need not.
 * With sorting and other scans off, the plan is the graph's, which goes on until enough rows pass the filter.
 */
function graphOf(schema: string, dimensions: number): string[] {
  const vector = `(v.vector::halfvec(${dimensions}))`;
  return [
    `create index if not exists search_vector_${dimensions} on ${schema}.search_vector
       using hnsw ((vector::halfvec(${dimensions})) halfvec_ip_ops) with (${GRAPH})
       where vector_dims(vector) = ${dimensions}`,
    `create or replace function ${nearestFunction(schema, dimensions)}
       (query halfvec, segments int[], accepted bytea[], most int)
     returns table (segment int, document int, score float8)
     language plpgsql stable
     set hnsw.iterative_scan = 'strict_order'
     set hnsw.max_scan_tuples = 100000
     set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
     as $$
     begin
       perform set_config('hnsw.ef_search', least(1000, greatest(${EF_LEAST}, 2 * most))::text, true);
       if accepted is null then
         return query select v.segment, v.document, -(${vector} <#> query)
           from ${schema}.search_vector v
           where vector_dims(v.vector) = ${dimensions} and v.segment = any(segments)
           order by ${vector} <#> query limit most;
       else
         return query select v.segment, v.document, -(${vector} <#> query)
           from ${schema}.search_vector v
           where vector_dims(v.vector) = ${dimensions} and v.segment = any(segments)
             and get_bit(accepted[array_position(segments, v.segment)], v.document) = 1
           order by ${vector} <#> query limit most;
       end if;
     end $$`,
  ];
}

/** Throws `STORE_MISSING` where there are no tables for searching vectors of so many dimensions. */
export async function requireSearch(database: Querying, schema: string, dimensions: number): Promise<void> {
  const [found] = await database.query<{ found: string | null }>(
    `select to_regproc('${nearestFunction(schema, dimensions)}')::text as found`,
  );
  if (found?.found == null)
    throw new StoreError(
      'STORE_MISSING',
      `The database has no tables for store.search: database with vectors of ${dimensions} dimensions. Run skillgate store init with this setting.`,
    );
}

/** SQL that gives the writer's role its rights on these tables; `grantsFor` gives both roles that of reading. */
export const searchGrantsFor = (schema: string, { writer }: { readonly writer: string }): string[] => [
  `grant insert, update, delete on ${schema}.search_segment, ${schema}.search_posting, ${schema}.search_vector to "${writer.replaceAll('"', '""')}"`,
];
