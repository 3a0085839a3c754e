/**
 * Embedded databases from `bench/peers` (`npm install --prefix bench/peers`): LanceDB with vectors and full-text search,
 * SQLite with sqlite-vec and FTS5. Their packages are not dependencies of skillgate, so this file declares the types it
 * uses.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Peer, type PeerCorpus, TOP } from './peer.ts';

const require = createRequire(new URL('../../peers/package.json', import.meta.url));

interface LanceQuery {
  distanceType(kind: 'cosine'): LanceQuery;
  fullTextSearch(text: string): LanceQuery;
  rerank(reranker: unknown): LanceQuery;
  select(columns: readonly string[]): LanceQuery;
  limit(count: number): LanceQuery;
  toArray(): Promise<readonly { readonly id: string }[]>;
}

interface LanceTable {
  add(rows: readonly Record<string, unknown>[]): Promise<unknown>;
  createIndex(column: string, options?: unknown): Promise<void>;
  query(): { nearestTo(vector: readonly number[]): LanceQuery };
}

interface Lance {
  connect(folder: string): Promise<{
    createTable(name: string, rows: readonly Record<string, unknown>[]): Promise<LanceTable>;
  }>;
  readonly Index: { fts(): unknown };
  readonly rerankers: { readonly RRFReranker: { create(): Promise<unknown> } };
}

interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown; all(...values: unknown[]): { id: number }[] };
  transaction(work: () => void): () => void;
}

/** Rows added in one call. */
const BATCH = 5_000;

async function* batches({ cards, vectors, dimensions }: PeerCorpus) {
  for (let from = 0; from < cards.length; from += BATCH)
    yield cards.slice(from, from + BATCH).map(({ id, name, description }, at) => ({
      id,
      text: `${name}\n${description}`,
      vector: Array.from(vectors.subarray((from + at) * dimensions, (from + at + 1) * dimensions)),
    }));
}

async function lanceTable(corpus: PeerCorpus): Promise<{ lance: Lance; table: LanceTable }> {
  const lance = require('@lancedb/lancedb') as Lance;
  const db = await lance.connect(join(corpus.folder, 'lance'));
  let table: LanceTable | null = null;
  for await (const rows of batches(corpus))
    if (table === null) table = await db.createTable('skills', rows);
    else await table.add(rows);
  if (table === null) throw new Error('The corpus has no rows.');
  return { lance, table };
}

export const lanceVectors: Peer = {
  name: 'LanceDB, vectors scanned',
  async build(corpus) {
    const { table } = await lanceTable(corpus);
    return async ({ vector }) => {
      const rows = await table
        .query()
        .nearestTo(vector)
        .distanceType('cosine')
        .select(['id'])
        .limit(TOP)
        .toArray();
      return rows.map(({ id }) => id);
    };
  },
};

export const lanceHybrid: Peer = {
  name: 'LanceDB, hybrid (RRF)',
  async build(corpus) {
    const { lance, table } = await lanceTable(corpus);
    await table.createIndex('text', { config: lance.Index.fts() });
    const reranker = await lance.rerankers.RRFReranker.create();
    return async ({ text, vector }) => {
      const words = text.replace(/[^\p{L}\p{N}]+/gu, ' ');
      const rows = await table
        .query()
        .nearestTo(vector)
        .fullTextSearch(words)
        .rerank(reranker)
        .select(['id'])
        .limit(TOP)
        .toArray();
      return rows.map(({ id }) => id);
    };
  },
};

function openSqlite({ folder }: PeerCorpus): Sqlite {
  const Database = require('better-sqlite3') as new (file: string) => Sqlite;
  const db = new Database(join(folder, 'skills.sqlite'));
  db.exec('pragma journal_mode = wal');
  return db;
}

export const sqliteVec: Peer = {
  name: 'sqlite-vec, vectors',
  async build(corpus) {
    const db = openSqlite(corpus);
    (require('sqlite-vec') as { load(db: Sqlite): void }).load(db);
    const { cards, vectors, dimensions } = corpus;
    db.exec(`create virtual table skills using vec0(vector float[${dimensions}] distance_metric=cosine)`);
    const insert = db.prepare('insert into skills(rowid, vector) values (?, ?)');
    db.transaction(() => {
      cards.forEach((_, row) => {
        insert.run(BigInt(row), vectors.slice(row * dimensions, (row + 1) * dimensions));
      });
    })();
    const nearest = db.prepare(`select rowid as id from skills where vector match ? and k = ${TOP}`);
    return ({ vector }) => nearest.all(Float32Array.from(vector)).map(({ id }) => cards[id]!.id);
  },
};

export const sqliteWords: Peer = {
  name: 'SQLite FTS5, cards',
  async build(corpus) {
    const db = openSqlite(corpus);
    const { cards } = corpus;
    db.exec("create virtual table skills using fts5(name, description, tokenize = 'porter')");
    const insert = db.prepare('insert into skills(rowid, name, description) values (?, ?, ?)');
    db.transaction(() => {
      cards.forEach(({ name, description }, row) => {
        insert.run(row, name, description);
      });
    })();
    const match = db.prepare(
      `select rowid as id from skills where skills match ? order by bm25(skills) limit ${TOP}`,
    );
    return ({ text }) => {
      const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
      return match.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ id }) => cards[id]!.id);
    };
  },
};
