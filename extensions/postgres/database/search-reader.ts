/** Reads what gateways with an outline of the index search: rows of postings and vectors, and parts of the stored segments. */

import { type IndexFile, StoreError } from '../index-store.ts';
import type { RemoteFile } from '../outline.ts';
import type { Database } from './connect.ts';
import { CHUNK_BYTES } from './postgres-store.ts';
import {
  bitmapText,
  type NearestRequest,
  nearRows,
  postingRows,
  type RemoteRange,
  type RetrievedRows,
  rowsOf,
  vectorText,
  type WantedTerms,
} from './search-rows.ts';
import { nearestFunction } from './search-tables.ts';

/** Rows among so few accepted ones are read one by one: a graph would pass most of its rows in vain. At most, and as a share. */
const FEW = 1_000;
const FEW_SHARE = 0.01;
/** A set of this share of the documents is written as numbers, of more as bits. */
const LIST_SHARE = 1 / 32;

interface SearchSegment {
  readonly id: number;
  readonly sha256: string;
}

/** What a search asks for that the outline of the index leaves out; each call is one round trip. */
export type RemoteSource = Pick<SearchReader, 'retrieve' | 'read'>;

export class SearchReader {
  readonly #database: Database;
  readonly #schema: string;
  readonly #segments = new Map<string, SearchSegment>();
  readonly #names = new Map<number, string>();
  /** Bits of sets that were asked for: the same filters recur. */
  readonly #bits = new WeakMap<ArrayBufferLike, Map<number, string>>();
  #roundTrips = 0;

  /** The tables exist (`requireSearch`). */
  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Queries that searches have waited for, since the start. */
  get roundTrips(): number {
    return this.#roundTrips;
  }

  /** Makes these segments searchable. Rejects with `STORE_MISSING` where the database does not have all of their rows. */
  async open(names: readonly string[]): Promise<void> {
    const unknown = names.filter((name) => !this.#segments.has(name));
    if (unknown.length === 0) return;
    const rows = await this.#database.query<SearchSegment & { name: string }>(
      `select id, name, sha256 from ${this.#schema}.search_segment where name = any($1::text[]) and ready`,
      [unknown],
    );
    for (const { id, name, sha256 } of rows) {
      this.#segments.set(name, { id, sha256 });
      this.#names.set(id, name);
    }
    const missing = names.filter((name) => !this.#segments.has(name));
    if (missing.length > 0)
      throw new StoreError(
        'STORE_MISSING',
        `The newest generation was published without rows for store.search: database (${missing.join(', ')}): set it on the gateways that may write, too.`,
      );
  }

  /** Postings of terms, blocks of a term in order; and near documents, best first. */
  async retrieve(terms: readonly WantedTerms[], nearest: NearestRequest | null): Promise<RetrievedRows> {
    const parts = [
      ...(terms.length === 0 ? [] : [postingRows(this.#schema, (name) => this.#of(name).id, terms)]),
      ...(nearest === null ? [] : [this.#nearest(nearest)]),
    ];
    const rows = await this.#bytes(parts.map((part) => `(${part})`).join(' union all '));
    return rowsOf(rows, (id) => this.#names.get(id)!);
  }

  /** In the order of the ranges. */
  async read(ranges: readonly RemoteRange[]): Promise<readonly Uint8Array[]> {
    const pieces = ranges.flatMap(({ segment, from, to }) => chunksOf(this.#of(segment).sha256, from, to));
    const read = await this.#bytes(partsOf(this.#schema, pieces));
    let next = 0;
    return ranges.map(({ from, to }) => {
      const count = chunkCount(from, to);
      next += count;
      return whole(read.slice(next - count, next), to - from);
    });
  }

  /** A stored segment, to be read in parts. */
  file({ sha256, size }: Pick<IndexFile, 'sha256' | 'size'>): RemoteFile {
    return {
      size,
      read: async (from, to) =>
        whole(await this.#database.bytes(partsOf(this.#schema, chunksOf(sha256, from, to))), to - from),
    };
  }

  #bytes(query: string): Promise<readonly Uint8Array[]> {
    this.#roundTrips += 1;
    return this.#database.bytes(query);
  }

  #of(segment: string): SearchSegment {
    const found = this.#segments.get(segment);
    if (found === undefined) throw new Error(`The segment ${segment} was not opened.`);
    return found;
  }

  #bitmaps(accepted: NearestRequest['accepted']): string[] {
    return accepted.map(({ documents }) => {
      const { buffer, byteOffset } = documents;
      const known = this.#bits.get(buffer) ?? new Map<number, string>();
      this.#bits.set(buffer, known);
      const text = known.get(byteOffset) ?? bitmapText(documents);
      known.set(byteOffset, text);
      return text;
    });
  }

  #nearest({ vector, count, accepted, size, isFiltered, exact }: NearestRequest): string {
    const s = this.#schema;
    const query = vectorText(vector);
    const total = accepted.reduce((sum, { documents }) => sum + documents.length, 0);
    const ids = `array[${accepted.map(({ segment }) => this.#of(segment).id).join(',')}]::int[]`;
    const few = size <= Math.max(FEW, FEW_SHARE * total);
    if (!exact && !few) {
      const bits = isFiltered ? `array[${this.#bitmaps(accepted).join(',')}]` : 'null::bytea[]';
      return nearRows(`${nearestFunction(s, vector.length)}(${query}, ${ids}, ${bits}, ${count})`);
    }
    // An expression that the graph does not have: all accepted rows are compared.
    const score = `-(v.vector <#> ${query})`;
    const rows =
      size <= LIST_SHARE * total || few
        ? `(${listOf(accepted, (segment) => this.#of(segment).id)}) as wanted (segment, document)
             join ${s}.search_vector v using (segment, document)`
        : `unnest(${ids}, array[${this.#bitmaps(accepted).join(',')}]) as wanted (segment, bits)
             join ${s}.search_vector v on v.segment = wanted.segment and get_bit(wanted.bits, v.document) = 1`;
    return nearRows(
      `(select v.segment, v.document, ${score} as score from ${rows}
        order by score desc fetch first ${count} rows ${exact ? 'with ties' : 'only'}) as near`,
    );
  }
}

/** The accepted documents as rows of segment and number. */
const listOf = (accepted: NearestRequest['accepted'], idOf: (segment: string) => number) =>
  accepted
    .map(({ segment, documents }) => {
      const numbers: number[] = [];
      documents.forEach((one, document) => {
        if (one === 1) numbers.push(document);
      });
      return `select ${idOf(segment)}, unnest(array[${numbers.join(',')}]::int[])`;
    })
    .join(' union all ');

interface ChunkPart {
  readonly sha256: string;
  readonly chunk: number;
  /** Within the chunk. */
  readonly from: number;
  readonly length: number;
}

const chunkCount = (from: number, to: number) =>
  Math.max(0, Math.ceil(to / CHUNK_BYTES) - Math.floor(from / CHUNK_BYTES));

function chunksOf(sha256: string, from: number, to: number): ChunkPart[] {
  return Array.from({ length: chunkCount(from, to) }, (_, at) => {
    const chunk = Math.floor(from / CHUNK_BYTES) + at;
    const start = Math.max(from, chunk * CHUNK_BYTES);
    return {
      sha256,
      chunk,
      from: start - chunk * CHUNK_BYTES,
      length: Math.min(to, (chunk + 1) * CHUNK_BYTES) - start,
    };
  });
}

/** Chunks are stored uncompressed, so that the server reads only the asked part of each. */
function partsOf(schema: string, parts: readonly ChunkPart[]): string {
  const objects = [...new Set(parts.map(({ sha256 }) => sha256))];
  const rows = parts.map(
    ({ sha256, chunk, from, length }, at) =>
      `(${at}, ${objects.indexOf(sha256)}, ${chunk}, ${from + 1}, ${length})`,
  );
  return `select substring(c.data from part.start for part.length)
   from (values ${rows.join(',')}) as part (at, object, number, start, length)
   join (values ${objects.map((sha256, at) => `(${at}, '${sha256}')`).join(',')}) as object (id, sha256) on object.id = part.object
   join ${schema}.chunk c on c.sha256 = object.sha256 and c.number = part.number order by part.at`;
}

function whole(parts: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (bytes.length !== size)
    throw new StoreError(
      'STORE_DAMAGED',
      `A part of a stored segment has ${bytes.length} bytes instead of ${size}: it was removed, or another generation replaces it.`,
    );
  return bytes;
}
