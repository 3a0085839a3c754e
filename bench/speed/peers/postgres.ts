/** PostgreSQL on a server of its own: full text, and with pgvector (Debian's `postgresql-15-pgvector`) both in one query. */

import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type PostgresServer, postgresServer, serverPrograms } from '../../../test/postgres.ts';
import { NotInstalled, type Peer, type PeerCorpus, TOP } from './peer.ts';

/** Rows of one statement. */
const BATCH = 1_000;
/** Of each retrieval, before reciprocal rank fusion. */
const DEPTH = 40;

let server: PostgresServer | null = null;
let client: pg.Client | null = null;

async function connect(): Promise<pg.Client> {
  if (serverPrograms() === null) throw new NotInstalled('apt-get install postgresql');
  server = await postgresServer(['shared_buffers=512MB', 'max_parallel_workers_per_gather=0']);
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
  return client;
}

async function end(): Promise<void> {
  await client?.end();
  await server?.remove();
}

/** The connection's process with what it uses of the shared buffers; the others do nothing. */
function bytes(): number {
  const { processID } = client as unknown as { readonly processID: number };
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processID}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function insert(db: pg.Client, { cards, vectors, dimensions }: PeerCorpus, withVectors: boolean) {
  for (let from = 0; from < cards.length; from += BATCH) {
    const part = cards.slice(from, from + BATCH);
    const vector = (at: number) =>
      `[${vectors.subarray((from + at) * dimensions, (from + at + 1) * dimensions).join(',')}]`;
    await db.query(
      `insert into skills select * from unnest($1::int[], $2::text[], $3::text[]${withVectors ? ', $4::vector[]' : ''})`,
      [
        part.map((_, at) => from + at),
        part.map(({ name }) => name),
        part.map(({ description }) => description),
        ...(withVectors ? [part.map((_, at) => vector(at))] : []),
      ],
    );
  }
  await db.query(`alter table skills add words tsvector generated always as
    (setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('english', description), 'B')) stored`);
  await db.query('create index on skills using gin (words)');
}

const BY_WORDS = `select id, row_number() over (order by ts_rank(words, query) desc, id) as rank from skills,
  to_tsquery('english', $1) query where words @@ query order by 2`;

/** The words of a request, any of them. */
const anyWord = (text: string) =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `'${word}'`).join(' | ');

export const postgresWords: Peer = {
  name: 'PostgreSQL, full text',
  async build(corpus) {
    const db = await connect();
    await db.query('create table skills (id int primary key, name text, description text)');
    await insert(db, corpus, false);
    await db.query('analyze skills');
    return async ({ text }) => {
      const { rows } = await db.query<{ id: number }>({
        name: 'words',
        text: `${BY_WORDS} limit ${TOP}`,
        values: [anyWord(text)],
      });
      return rows.map(({ id }) => corpus.cards[id]!.id);
    };
  },
  bytes,
  end,
};

export const postgresHybrid: Peer = {
  name: 'PostgreSQL with pgvector, hybrid (RRF)',
  async build(corpus) {
    const db = await connect();
    const offered = await db.query("select 1 from pg_available_extensions where name = 'vector'");
    if (offered.rows.length === 0) throw new NotInstalled('apt-get install postgresql-15-pgvector');
    await db.query('create extension vector');
    await db.query(
      `create table skills (id int primary key, name text, description text, v vector(${corpus.dimensions}))`,
    );
    await insert(db, corpus, true);
    await db.query('create index on skills using hnsw (v vector_cosine_ops)');
    await db.query('analyze skills');
    return async ({ text, vector }) => {
      const { rows } = await db.query<{ id: number }>({
        name: 'hybrid',
        text: `with w as (${BY_WORDS} limit ${DEPTH}), v as (select id, row_number() over () as rank from
          (select id from skills order by v <=> $2::vector limit ${DEPTH}) near)
          select id from (select * from w union all select * from v) found group by id
          order by sum(1.0 / (60 + rank)) desc, id limit ${TOP}`,
        values: [anyWord(text), `[${vector.join(',')}]`],
      });
      return rows.map(({ id }) => corpus.cards[id]!.id);
    };
  },
  bytes,
  end,
};
