/** Writes the rows of segments for searching in the database. A segment is searchable once all its rows are there. */

import { setImmediate } from 'node:timers/promises';
import type { Directory } from '../../../index/directory/directory.ts';
import { SegmentReader } from '../../../index/segment/reader.ts';
import { blocksOf } from '../postings-block.ts';
import type { Database } from './connect.ts';
import { termKey } from './search-rows.ts';

/** Rows and bytes of one statement. */
const MAX_ROWS = 4_000;
const MAX_BYTES = 2 * 2 ** 20;
/** Vectors of one statement, as text some 3 KB each. */
const MAX_VECTORS = 500;

export class SearchWriter {
  readonly #database: Database;
  readonly #schema: string;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Adds the rows of a segment, unless it has them. One that was interrupted goes on where rows are missing. */
  async add(
    directory: Directory,
    { name, sha256 }: { readonly name: string; readonly sha256: string },
  ): Promise<void> {
    const s = this.#schema;
    const [known] = await this.#database.query<{ id: number; ready: boolean }>(
      `insert into ${s}.search_segment as held (name, sha256) values ($1, $2)
       on conflict (name) do update set added_at = now() returning id, ready`,
      [name, sha256],
    );
    if (known === undefined || known.ready) return;
    const segment = new SegmentReader(directory, name);
    try {
      await this.#addVectors(known.id, segment);
      await this.#addPostings(known.id, segment);
    } finally {
      segment.close();
    }
    await this.#database.query(`update ${s}.search_segment set ready = true where id = $1`, [known.id]);
  }

  async #addPostings(id: number, segment: SegmentReader): Promise<void> {
    let terms: string[] = [];
    let blocks: number[] = [];
    let postings: Buffer[] = [];
    let bytes = 0;
    const flush = async () => {
      await this.#database.query(
        `insert into ${this.#schema}.search_posting (segment, term, block, postings)
         select $1, * from unnest($2::bigint[], $3::int[], $4::bytea[]) on conflict do nothing`,
        [id, terms, blocks, postings],
      );
      [terms, blocks, postings, bytes] = [[], [], [], 0];
      // Searches go on between two statements.
      await setImmediate();
    };
    for (const { high, low, block, bytes: own } of blocksOf(segment.weighingColumns)) {
      terms.push(termKey({ high, low }));
      blocks.push(block);
      postings.push(Buffer.from(own.buffer, own.byteOffset, own.length));
      bytes += own.length;
      if (terms.length === MAX_ROWS || bytes >= MAX_BYTES) await flush();
    }
    if (terms.length > 0) await flush();
  }

  async #addVectors(id: number, segment: SegmentReader): Promise<void> {
    for (let from = 0; from < segment.meta.documents; from += MAX_VECTORS) {
      const to = Math.min(segment.meta.documents, from + MAX_VECTORS);
      const rows = Array.from({ length: to - from }, (_, at) => ({
        document: from + at,
        vector: segment.documentVector(from + at),
      })).filter(({ vector }) => vector.some((value) => value !== 0));
      await this.#database.query(
        `insert into ${this.#schema}.search_vector (segment, document, vector)
         select $1, document, vector::halfvec from unnest($2::int[], $3::text[]) as row (document, vector)
         on conflict do nothing`,
        [id, rows.map(({ document }) => document), rows.map(({ vector }) => `[${vector.join(',')}]`)],
      );
    }
  }

  /** Removes the rows of segments that no generation names, except those added within the last `graceMs`. Returns how many. */
  async collect(graceMs: number): Promise<number> {
    const s = this.#schema;
    const removed = await this.#database.query(
      `delete from ${s}.search_segment held
       where added_at < clock_timestamp() - $1 * interval '1 millisecond'
         and not exists (select from ${s}.generation_file f where f.name = held.name)
       returning id`,
      [graceMs],
    );
    return removed.length;
  }
}
