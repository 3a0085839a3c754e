/**
 * The store in PostgreSQL. A publication is one transaction, and objects are whole or absent, so that nothing is seen half.
 *
 * The lease is a row with a time by the database's clock, since the connection of a paused process stays open. It ends earlier with the
 * holder's session, which the server closes as soon as the process has ended. The row's `fence` is checked, and the row locked, by each
 * publication.
 */

import {
  type Collected,
  type CollectOptions,
  conflict,
  damaged,
  fenced,
  type IndexFile,
  type IndexStore,
  type Lease,
  type NewObject,
  type PublishedIndex,
  type StoredObject,
  type StoredSkill,
  StoreError,
  type StoreStatus,
  type WriteBytes,
} from '../index-store.ts';
import type { Database } from './connect.ts';

/** Bytes of one chunk: an object is read in parts, and a row stays far below the limit of 1 GB. */
const CHUNK_BYTES = 2 ** 20;
/** Chunks of one query, and queries at the same time: enough that neither side waits for the other. */
const CHUNKS_PER_QUERY = 4;
const QUERIES_AT_ONCE = 2;
/** Bytes and objects of one statement that adds objects. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_OBJECTS = 500;
/** Bytes that one statement removes, and how long a statement that looks for garbage or removes it may take, ms. */
const COLLECT_BYTES = 64 * 2 ** 20;
const COLLECT_MS = 60_000;
/** A line of an older version that nothing was published in for so long goes, unless a gateway writes it, or it is the last. */
const ABANDONED = '7 days';

/**
 * No configuration has a longer lease, ms. One that ends later was given before the database's clock went back, and would last for
 * hours.
 */
const LONGEST_LEASE_MS = 600_000;

/** The channel on which changes are announced. */
const channelOf = (schema: string) => `${schema}_changed`;

export class PostgresStore implements IndexStore {
  readonly #database: Database;
  readonly #schema: string;

  /** The schema's tables exist (`requireSchema`). The store closes the database. */
  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  async newest(line: string): Promise<PublishedIndex | null> {
    const s = this.#schema;
    // One statement sees one state of both tables.
    const rows = await this.#database.short.query<{
      version: number;
      generation: number;
      published_at: Date;
      files: IndexFile[];
    }>(
      `select g.version::float8 as version, g.generation::float8 as generation, g.published_at,
         (select jsonb_agg(jsonb_build_object('name', f.name, 'sha256', f.sha256, 'size', o.bytes) order by f.name collate "C")
          from ${s}.generation_file f join ${s}.object o using (sha256)
          where f.line = g.line and f.version = g.version) as files
       from ${s}.generation g where line = $1 order by version desc limit 1`,
      [line],
    );
    const row = rows[0];
    if (row === undefined) return null;
    const { version, generation, published_at: publishedAt, files } = row;
    return { version, generation, publishedAt, files };
  }

  async fetch({ sha256, size }: StoredObject, write: WriteBytes): Promise<void> {
    const chunks = Math.ceil(size / CHUNK_BYTES);
    const queries = Math.ceil(chunks / CHUNKS_PER_QUERY);
    // Hundreds of megabytes of new memory would cost more time than the bytes: a query writes where an earlier one's rows were.
    const memory = Array.from({ length: Math.min(QUERIES_AT_ONCE, queries) }, () =>
      Array.from({ length: Math.min(CHUNKS_PER_QUERY, chunks) }, () => new Uint8Array(CHUNK_BYTES)),
    );
    const asked: Promise<readonly Uint8Array[]>[] = [];
    const ask = (query: number) => {
      if (query >= queries) return;
      const from = query * CHUNKS_PER_QUERY;
      const rows = this.#database.bytes(
        `select data from ${this.#schema}.chunk where sha256 = '${hex(sha256)}' and number >= ${from} and number < ${from + CHUNKS_PER_QUERY} order by number`,
        memory[query % QUERIES_AT_ONCE],
      );
      asked[query] = rows;
      // It may fail while an earlier one is written.
      rows.catch(() => {});
    };
    for (const query of memory.keys()) ask(query);
    try {
      for (let query = 0; query < queries; query += 1) {
        const from = query * CHUNKS_PER_QUERY;
        const found = (await asked[query]) ?? [];
        if (found.length !== Math.min(CHUNKS_PER_QUERY, chunks - from))
          throw damaged(sha256, 'is incomplete');
        for (const [at, bytes] of found.entries()) await write((from + at) * CHUNK_BYTES, bytes);
        ask(query + QUERIES_AT_ONCE);
      }
    } finally {
      await Promise.allSettled(asked);
    }
  }

  hasObjects(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#known('object', 'sha256', digests);
  }

  hasSkills(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#known('skill', 'digest', digests);
  }

  async #known(table: string, column: string, digests: readonly string[]): Promise<ReadonlySet<string>> {
    if (digests.length === 0) return new Set();
    const named = `${this.#schema}.${table}`;
    await this.#database.query(
      `update ${named} set added_at = clock_timestamp() where ${column} = any($1::text[]) and added_at < clock_timestamp() - interval '1 minute'`,
      [digests],
    );
    const rows = await this.#database.query<{ digest: string }>(
      `select ${column} as digest from ${named} where ${column} = any($1::text[])`,
      [digests],
    );
    return new Set(rows.map(({ digest }) => digest));
  }

  async addObjects(objects: readonly NewObject[]): Promise<void> {
    let batch: NewObject[] = [];
    let bytes = 0;
    const flush = async () => {
      const ready = batch;
      [batch, bytes] = [[], 0];
      if (ready.length > 0) await this.#add(ready);
    };
    for (const object of objects) {
      if (bytes + object.size > BATCH_BYTES || batch.length === BATCH_OBJECTS) await flush();
      batch.push(object);
      bytes += object.size;
    }
    await flush();
  }

  async #add(objects: readonly NewObject[]): Promise<void> {
    const s = this.#schema;
    await this.#database.transaction(async (transaction) => {
      await transaction.query(
        `insert into ${s}.object (sha256, bytes) select * from unnest($1::text[], $2::bigint[]) on conflict do nothing`,
        [objects.map(({ sha256 }) => sha256), objects.map(({ size }) => size)],
      );
      let values: unknown[] = [];
      let bytes = 0;
      const flush = async () => {
        const places = Array.from(
          { length: values.length / 3 },
          (_, at) => `($${3 * at + 1}, $${3 * at + 2}, $${3 * at + 3})`,
        );
        if (places.length > 0)
          await transaction.query(
            `insert into ${s}.chunk (sha256, number, data) values ${places.join(', ')} on conflict do nothing`,
            values,
          );
        [values, bytes] = [[], 0];
      };
      for (const { sha256, chunks } of objects) {
        let number = 0;
        for (const data of rechunked(chunks(), CHUNK_BYTES)) {
          values.push(sha256, number, data);
          number += 1;
          bytes += data.length;
          if (bytes >= BATCH_BYTES) await flush();
        }
      }
      await flush();
    });
  }

  async addSkills(skills: readonly StoredSkill[]): Promise<void> {
    const s = this.#schema;
    await this.#database.transaction(async (transaction) => {
      await transaction.query(
        `insert into ${s}.skill (digest, files)
         select digest, files::jsonb from unnest($1::text[], $2::text[]) as added (digest, files) on conflict do nothing`,
        [skills.map(({ digest }) => digest), skills.map(({ files }) => JSON.stringify(files))],
      );
      const pairs = skills.flatMap(({ digest, files }) =>
        files.flatMap(({ sha256 }) => (sha256 === null ? [] : [{ digest, sha256 }])),
      );
      await transaction
        .query(
          `insert into ${s}.skill_object (digest, sha256) select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
          [pairs.map(({ digest }) => digest), pairs.map(({ sha256 }) => sha256)],
        )
        .catch(refusingMissing);
    });
  }

  async skill(digest: string): Promise<StoredSkill | null> {
    const rows = await this.#database.query<Pick<StoredSkill, 'files'>>(
      `select files from ${this.#schema}.skill where digest = $1`,
      [digest],
    );
    return rows[0] === undefined ? null : { digest, files: rows[0].files };
  }

  async publish(
    lease: Lease,
    expected: number | null,
    { generation, files }: Pick<PublishedIndex, 'generation' | 'files'>,
  ): Promise<PublishedIndex> {
    const s = this.#schema;
    const { line, fence } = lease;
    return this.#database.transaction(async (transaction) => {
      // Locks the row: no one takes the lease before this has been committed or undone.
      const [held] = await transaction.query<{ fence: number }>(
        `select fence::float8 as fence from ${s}.lease where line = $1 for update`,
        [line],
      );
      if (held?.fence !== fence) throw fenced(lease);
      const [before] = await transaction.query<{ version: number | null }>(
        `select max(version)::float8 as version from ${s}.generation where line = $1`,
        [line],
      );
      if ((before?.version ?? null) !== expected) throw conflict(line, expected, before?.version ?? null);
      const version = (expected ?? 0) + 1;
      const [row] = await transaction.query<{ published_at: Date }>(
        `insert into ${s}.generation (line, version, generation, fence) values ($1, $2, $3, $4) returning published_at`,
        [line, version, generation, fence],
      );
      await transaction
        .query(
          `insert into ${s}.generation_file (line, version, name, sha256)
           select $1, $2, name, sha256 from unnest($3::text[], $4::text[]) as file (name, sha256)`,
          [line, version, files.map(({ name }) => name), files.map(({ sha256 }) => sha256)],
        )
        .catch(refusingMissing);
      await transaction.query('select pg_notify($1, $2)', [channelOf(s), line]);
      return { version, generation, publishedAt: row!.published_at, files };
    });
  }

  async acquire(line: string, holder: string, ttlMs: number): Promise<Lease | null> {
    const s = this.#schema;
    // Not by the connection for short statements: this one waits for a publication.
    const rows = await this.#database.query<{ fence: number }>(
      `insert into ${s}.lease as held (line, holder, fence, expires_at, session, session_fence)
       values ($1, $2, 1, ${until('$3')}, $4, 1)
       on conflict (line) do update set holder = excluded.holder, fence = held.fence + 1, expires_at = excluded.expires_at,
         session = excluded.session, session_fence = held.fence + 1
       where held.expires_at < clock_timestamp() or held.expires_at > ${until(`${LONGEST_LEASE_MS}`)}
         or held.session_fence = held.fence and not exists (select from pg_stat_get_activity(held.session))
       returning fence::float8 as fence`,
      [line, holder, ttlMs, await this.#session()],
    );
    return rows[0] === undefined ? null : { line, holder, fence: rows[0].fence };
  }

  async renew({ line, fence }: Lease, ttlMs: number): Promise<boolean> {
    const rows = await this.#database.query(
      `update ${this.#schema}.lease set expires_at = ${until('$3')}, session = $4, session_fence = fence
       where line = $1 and fence = $2 returning line`,
      [line, fence, ttlMs, await this.#session()],
    );
    return rows.length > 0;
  }

  /** The server's process of the connection that lasts as long as this one. */
  async #session(): Promise<number | undefined> {
    const [row] = await this.#database.short.query<{ pid: number }>('select pg_backend_pid() as pid');
    return row?.pid;
  }

  async release({ line, fence }: Lease): Promise<void> {
    await this.#database.query(
      `update ${this.#schema}.lease set expires_at = '-infinity' where line = $1 and fence = $2`,
      [line, fence],
    );
  }

  onChange(listener: () => void): () => void {
    return this.#database.listen(channelOf(this.#schema), listener);
  }

  async status(): Promise<StoreStatus> {
    const s = this.#schema;
    const lines = await this.#database.query<{
      line: string;
      version: number;
      generation: number;
      published_at: Date;
      bytes: number;
      writer: string | null;
      fence: number;
    }>(
      `select distinct on (g.line) g.line, g.version::float8 as version, g.generation::float8 as generation, g.published_at,
         (select coalesce(sum(o.bytes), 0)::float8 from ${s}.generation_file f join ${s}.object o using (sha256)
          where f.line = g.line and f.version = g.version) as bytes,
         case when l.expires_at > clock_timestamp() then l.holder end as writer, coalesce(l.fence, 0)::float8 as fence
       from ${s}.generation g left join ${s}.lease l using (line) order by g.line, g.version desc`,
    );
    const [held] = await this.#database.query<{ skills: number; objects: number; bytes: number }>(
      `select (select count(*) from ${s}.skill)::float8 as skills, count(*)::float8 as objects,
         coalesce(sum(bytes), 0)::float8 as bytes from ${s}.object`,
    );
    return {
      lines: lines.map(({ published_at: publishedAt, ...line }) => ({ ...line, publishedAt })),
      ...(held ?? { skills: 0, objects: 0, bytes: 0 }),
    };
  }

  async collect({ keep, liveSkills, graceMs, onProgress }: CollectOptions): Promise<Collected> {
    const s = this.#schema;
    const isOld = (column: string) =>
      `${column} < clock_timestamp() - ${Number(graceMs)} * interval '1 millisecond'`;
    const generations = await this.#collectSome(
      `delete from ${s}.generation g where ${isOld('published_at')}
         and (version <= (select max(version) - $1 from ${s}.generation where line = g.line) or line in (
           select line from ${s}.generation group by line having max(published_at) < clock_timestamp() - interval '${ABANDONED}'
           except select line from ${s}.lease where expires_at > clock_timestamp()
           except (select line from ${s}.generation order by published_at desc limit 1)))
       returning 0::float8 as bytes`,
      [keep],
    );
    const skills = await this.#patiently<{ id: string }>(
      `select digest as id from ${s}.skill where ${isOld('added_at')} and $1::text[] is not null and not (digest = any($1::text[]))`,
      [liveSkills],
    );
    const collected = { generations: generations.count, skills: 0, objects: 0, bytes: 0 };
    for (const batch of batchesOf(skills.map(({ id }) => ({ id, bytes: 0 })))) {
      const { count } = await this.#collectSome(
        `delete from ${s}.skill where ${isOld('added_at')} and digest = any($1::text[]) returning 0::float8 as bytes`,
        [batch],
      );
      collected.skills += count;
      onProgress?.(collected);
    }
    const unused = `${isOld('added_at')} and not exists (select from ${s}.generation_file f where f.sha256 = o.sha256)
      and not exists (select from ${s}.skill_object k where k.sha256 = o.sha256)`;
    const objects = await this.#patiently<{ id: string; bytes: number }>(
      `select sha256 as id, bytes::float8 as bytes from ${s}.object o where ${unused}`,
    );
    for (const batch of batchesOf(objects)) {
      const { count, bytes } = await this.#collectSome(
        `delete from ${s}.object o where sha256 = any($1::text[]) and ${unused} returning bytes::float8 as bytes`,
        [batch],
      );
      collected.objects += count;
      collected.bytes += bytes;
      onProgress?.(collected);
    }
    return collected;
  }

  /** Removes one batch; what a writer names meanwhile stays until the next time. */
  async #collectSome(text: string, values: readonly unknown[]): Promise<{ count: number; bytes: number }> {
    const rows = await this.#patiently<{ bytes: number }>(text, values).catch((error: unknown) => {
      if (!isForeignKey(error)) throw error;
      return [];
    });
    return { count: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #patiently<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#database.transaction((transaction) => transaction.query<Row>(text, values), {
      silenceMs: COLLECT_MS,
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

const until = (ms: string) => `clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** The digest, for a query without parameters. */
function hex(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError(`${sha256} is not a SHA-256 digest.`);
  return sha256;
}

/** PostgreSQL's code for a row that a foreign key demands and that is not there. */
const FOREIGN_KEY = '23503';

const isForeignKey = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === FOREIGN_KEY;

/** Ids in batches of bounded number and bytes: a statement that removes more would run into the time limit. */
function* batchesOf(
  garbage: readonly { readonly id: string; readonly bytes: number }[],
): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const { id, bytes: size } of garbage) {
    if (batch.length > 0 && (bytes + size > COLLECT_BYTES || batch.length === BATCH_OBJECTS)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(id);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function refusingMissing(error: unknown): never {
  if (isForeignKey(error))
    throw new StoreError(
      'STORE_DAMAGED',
      'An object that should be published is not in the store. It is added again.',
      {
        cause: error,
      },
    );
  throw error;
}

/** The same bytes in chunks of exactly `size` but the last. */
function* rechunked(chunks: Iterable<Uint8Array>, size: number): Generator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for (let chunk of chunks) {
    while (length + chunk.length >= size) {
      held.push(chunk.subarray(0, size - length));
      yield held.length === 1 ? held[0]! : Buffer.concat(held);
      chunk = chunk.subarray(size - length);
      [held, length] = [[], 0];
    }
    if (chunk.length > 0) held.push(chunk);
    length += chunk.length;
  }
  if (length > 0) yield Buffer.concat(held);
}
