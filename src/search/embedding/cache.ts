/**
 * Embeddings cached on disk, for models where embedding is slower than reading. A text is embedded once for all
 * runs and indexes, and a killed run continues where it stopped.
 *
 * One file per model: a head, then appended records of one size: 16 bytes of the text's SHA-256, the vector, CRC-32
 * of both. A record with a wrong checksum (torn by SIGKILL) and everything after it are cut off. A file that grows
 * too large is started again from empty: simpler than eviction, and the next run fills it with what is in use.
 */

import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Embedder } from '../../../index/embedder.ts';

/** Bytes of a text's SHA-256: 128 bits make accidental collisions practically impossible. */
const KEY_BYTES = 16;
const CRC_BYTES = 4;
/** Largest file, bytes: 1.3 million vectors of 384 dimensions. */
const MAX_FILE_BYTES = 2 ** 31;
/** Texts embedded between two writes: what a killed run loses. */
const WRITE_TEXTS = 64;
/** Records read at a time when opening a file. */
const READ_RECORDS = 2048;

interface CacheOptions {
  /** Default 2 GiB. */
  readonly maxFileBytes?: number;
}

/**
 * Wraps an embedder with a cache file in `folder`, which is created if necessary. Queries are not cached. If the
 * disk fails, it embeds without caching. Several processes may share a folder; each uses the records that existed
 * when it opened the file. `close` releases the file; the embedder remains usable.
 */
export const cachedEmbedder = (
  embedder: Embedder,
  folder: string,
  { maxFileBytes = MAX_FILE_BYTES }: CacheOptions = {},
): Embedder & { close(): void } =>
  new CachedEmbedder(embedder, () => CacheFile.open(folder, embedder, maxFileBytes));

class CachedEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly multilingual: boolean;
  readonly #embedder: Embedder;
  readonly #open: () => CacheFile | null;
  /** Opened at the first passage: a server that only answers queries need not read the file. */
  #file: CacheFile | null | undefined;

  constructor(embedder: Embedder, open: () => CacheFile | null) {
    this.id = embedder.id;
    this.dimensions = embedder.dimensions;
    this.multilingual = embedder.multilingual ?? false;
    this.#embedder = embedder;
    this.#open = open;
  }

  embedQuery(text: string): Promise<Float32Array> {
    return this.#embedder.embedQuery(text);
  }

  async embedPassages(texts: readonly string[]): Promise<Float32Array> {
    if (this.#file === undefined) this.#file = this.#open();
    const { dimensions } = this;
    const out = new Float32Array(texts.length * dimensions);
    /** Text → rows of `out` that need its vector. */
    const missing = new Map<string, number[]>();
    texts.forEach((text, row) => {
      const known = this.#file?.read(keyOf(text));
      if (known) out.set(known, row * dimensions);
      else if (missing.has(text)) missing.get(text)!.push(row);
      else missing.set(text, [row]);
    });
    // Sorted by length, which keeps padding low in each batch.
    const work = [...missing].sort(([a], [b]) => a.length - b.length);
    for (let from = 0; from < work.length; from += WRITE_TEXTS) {
      const part = work.slice(from, from + WRITE_TEXTS);
      const vectors = await this.#embedder.embedPassages(part.map(([text]) => text));
      this.#file?.append(
        part.map(([text]) => keyOf(text)),
        vectors,
      );
      part.forEach(([, rows], at) => {
        for (const row of rows)
          out.set(vectors.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions);
      });
    }
    return out;
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }
}

class CacheFile {
  readonly #path: string;
  readonly #head: Buffer;
  readonly #vectorBytes: number;
  readonly #recordBytes: number;
  readonly #maxBytes: number;
  #descriptor: number;
  /** Key → position of its record. */
  readonly #positions = new Map<string, number>();
  #end: number;

  /** Null if the folder or file cannot be opened: a missing cache is not an error. */
  static open(folder: string, embedder: Embedder, maxBytes: number): CacheFile | null {
    const name = `${createHash('sha256')
      .update(embedder.id)
      .digest('hex')
      .slice(0, 2 * KEY_BYTES)}.embeddings`;
    try {
      mkdirSync(folder, { recursive: true });
      return new CacheFile(join(folder, name), embedder, maxBytes);
    } catch {
      return null;
    }
  }

  private constructor(path: string, { id, dimensions }: Embedder, maxBytes: number) {
    this.#path = path;
    this.#head = Buffer.from(`skillgate embeddings 1 ${JSON.stringify({ id, dimensions })}\n`);
    this.#vectorBytes = 4 * dimensions;
    this.#recordBytes = KEY_BYTES + this.#vectorBytes + CRC_BYTES;
    this.#maxBytes = maxBytes;
    // Append mode: two processes that write at once each add whole batches.
    this.#descriptor = openSync(path, 'a+');
    this.#end = this.#index();
    ftruncateSync(this.#descriptor, this.#end);
    if (this.#end === 0) this.#write(this.#head);
  }

  read(key: Buffer): Float32Array | null {
    const position = this.#positions.get(key.toString('latin1'));
    if (position === undefined) return null;
    const record = this.#records(position, 1);
    // Another process may have restarted the file meanwhile.
    return record.length === this.#recordBytes &&
      this.#isWhole(record) &&
      record.subarray(0, KEY_BYTES).equals(key)
      ? this.#vector(record)
      : null;
  }

  append(keys: readonly Buffer[], vectors: Float32Array): void {
    const bytes = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
    const batch = Buffer.concat(
      keys.map((key, at) => {
        const body = Buffer.concat([
          key,
          bytes.subarray(at * this.#vectorBytes, (at + 1) * this.#vectorBytes),
        ]);
        const crc = Buffer.alloc(CRC_BYTES);
        crc.writeUInt32LE(crc32(body));
        return Buffer.concat([body, crc]);
      }),
    );
    try {
      if (this.#end + batch.length > this.#maxBytes) this.#startAnew();
      const from = this.#end;
      this.#write(batch);
      // Wrong if another process wrote in between; `read` detects that.
      keys.forEach((key, at) => {
        this.#positions.set(key.toString('latin1'), from + at * this.#recordBytes);
      });
    } catch {
      // A full disk costs the cache, not the run. A half-written record fails its checksum next time.
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Finds the records; returns where the valid ones end, 0 for a file of another kind. */
  #index(): number {
    const head = Buffer.alloc(this.#head.length);
    if (readSync(this.#descriptor, head, 0, head.length, 0) < head.length || !head.equals(this.#head))
      return 0;
    let position = head.length;
    for (;;) {
      const piece = this.#records(position, READ_RECORDS);
      for (let at = 0; at + this.#recordBytes <= piece.length; at += this.#recordBytes) {
        const record = piece.subarray(at, at + this.#recordBytes);
        if (!this.#isWhole(record)) return position + at;
        this.#positions.set(record.toString('latin1', 0, KEY_BYTES), position + at);
      }
      if (piece.length < READ_RECORDS * this.#recordBytes)
        return position + piece.length - (piece.length % this.#recordBytes);
      position += piece.length;
    }
  }

  #records(position: number, count: number): Buffer {
    const piece = Buffer.alloc(count * this.#recordBytes);
    return piece.subarray(0, readSync(this.#descriptor, piece, 0, piece.length, position));
  }

  #isWhole(record: Buffer): boolean {
    const body = record.length - CRC_BYTES;
    return crc32(record.subarray(0, body)) === record.readUInt32LE(body);
  }

  #vector(record: Buffer): Float32Array {
    // Copied, because a Float32Array view must begin at a multiple of four.
    return new Float32Array(new Uint8Array(record.subarray(KEY_BYTES, KEY_BYTES + this.#vectorBytes)).buffer);
  }

  #startAnew(): void {
    closeSync(this.#descriptor);
    // Removed rather than truncated: other processes continue to read the file that they have open.
    rmSync(this.#path, { force: true });
    this.#descriptor = openSync(this.#path, 'a+');
    this.#positions.clear();
    this.#end = 0;
    this.#write(this.#head);
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    this.#end += bytes.length;
  }
}

function keyOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, KEY_BYTES);
}
