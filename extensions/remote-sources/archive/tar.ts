/**
 * Tar archives, with or without gzip. They have no directory, so they are read twice: once to list the entries, once
 * for the wanted files.
 */

import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { FetchError } from '../fetched/fetch-error.ts';
import {
  type Archive,
  damaged,
  type Entry,
  plainPath,
  refuseBomb,
  refuseEscapingLink,
  refuseManyEntries,
} from './entries.ts';

const FILES = new Set<string>(['File', 'OldFile', 'ContiguousFile']);
const LINKS = new Set<string>(['Link', 'SymbolicLink']);
const FOLDERS = new Set<string>(['Directory', 'GNUDumpDir']);
/** A tar may unpack to this many times `maxBytes`, since files outside skills are skipped. */
const SKIP_FACTOR = 8;
/** Plus this many bytes. */
const SKIP_BYTES = 64 * 2 ** 20;
const READ_BYTES = 2 ** 18;
/**
 * Bytes of a tar block. Two of zeros end an archive, and what follows them is not read: the parser takes time quadratic in it. Without
 * them the last one must be all zeros, else the archive was cut off between two entries.
 */
const BLOCK = 512;

export async function openTar(
  file: FileHandle,
  compressed: boolean,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Archive> {
  const limit = maxBytes * SKIP_FACTOR + SKIP_BYTES;
  const entries: Entry[] = [];
  let count = 0;
  await parse(file, compressed, limit, signal, (entry) => {
    count += 1;
    refuseManyEntries(count);
    entry.resume();
    if (FOLDERS.has(entry.type)) return null;
    entries.push({
      path: plainPath(entry.path),
      type: FILES.has(entry.type) ? 'file' : LINKS.has(entry.type) ? 'link' : 'other',
      executable: ((entry.mode ?? 0) & 0o111) !== 0,
      size: entry.size,
      target: LINKS.has(entry.type) ? (entry.linkpath ?? '') : null,
    });
    checkTarget(entry, entries.at(-1));
    return null;
  });
  return {
    entries,
    async read(wanted, take) {
      let at = -1;
      await parse(file, compressed, limit, signal, (entry) => {
        if (FOLDERS.has(entry.type)) {
          entry.resume();
          return null;
        }
        at += 1;
        if (wanted.has(at)) return take(at, entry);
        entry.resume();
        return null;
      });
    },
  };
}

/** A hard link's target is relative to the archive's root, a symbolic link's to its own folder. */
function checkTarget({ type }: ReadEntry, entry: Entry | undefined): void {
  if (entry === undefined) return;
  refuseEscapingLink(type === 'Link' ? { ...entry, path: 'link' } : entry);
}

/** Calls `onEntry` for each entry in order; it must read or resume the entry. Waits for its promise. */
type OnEntry = (entry: ReadEntry) => Promise<void> | null;

/** One pass over an archive. The first failure of parser or reader ends it. */
class TarPass {
  readonly #onEntry: OnEntry;
  readonly #parser: Parser;
  #failure: unknown = null;
  #work: Promise<void> = Promise.resolve();
  #current: ReadEntry | null = null;
  #isComplete = false;
  #isOver = false;
  #last: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(onEntry: OnEntry) {
    this.#onEntry = onEntry;
    this.#parser = new Parser({
      brotli: false,
      zstd: false,
      onwarn: (_code, message) => {
        if (!this.#isOver) this.#failure ??= damaged(message);
      },
      onReadEntry: (entry) => this.#take(entry),
    });
    this.#parser.on('end', () => {
      this.#isComplete = true;
    });
    this.#parser.on('eof', () => {
      this.#isOver = true;
    });
    this.#parser.on('error', (error: unknown) => {
      this.#failure ??= damaged(error);
    });
  }

  /** Rejects if the archive is damaged or cut off. */
  async read(chunks: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
    try {
      for await (const chunk of chunks) {
        this.#throwFailure();
        if (this.#isOver) break;
        this.#length += chunk.length;
        this.#last = Buffer.concat([this.#last, chunk.subarray(-BLOCK)]).subarray(-BLOCK);
        if (!this.#parser.write(chunk)) await once(this.#parser, 'drain');
      }
      this.#throwFailure();
      if (!this.#hasEnd()) throw new Error('its end is missing');
      this.#parser.end();
      await this.#work;
      if (!this.#isComplete && this.#failure === null) await once(this.#parser, 'end');
      this.#throwFailure();
    } catch (cause) {
      // The reader of the interrupted entry must not wait for its rest.
      this.#current?.destroy(new Error('interrupted'));
      await this.#work;
      signal.throwIfAborted();
      throw damaged(this.#failure ?? cause);
    }
  }

  #take(entry: ReadEntry): void {
    try {
      const taken = this.#isOver ? null : this.#onEntry(entry);
      if (this.#isOver) entry.resume();
      if (taken === null) return;
      this.#current = entry;
      this.#work = taken.catch((error: unknown) => {
        this.#failure ??= error;
        entry.resume();
      });
    } catch (error) {
      this.#failure ??= error;
      entry.resume();
    }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  #hasEnd(): boolean {
    const isWhole = this.#length % BLOCK === 0 && this.#last.length === BLOCK;
    return this.#isOver || (isWhole && this.#last.every((byte) => byte === 0));
  }
}

async function parse(
  file: FileHandle,
  compressed: boolean,
  limit: number,
  signal: AbortSignal,
  onEntry: OnEntry,
): Promise<void> {
  const { size } = await file.stat();
  await new TarPass(onEntry).read(bytesOf(file, compressed, size, limit, signal), signal);
}

async function* bytesOf(
  file: FileHandle,
  compressed: boolean,
  size: number,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const stream = Readable.from(rawBytesOf(file), { objectMode: false });
  // An error of either stream destroys both; the loop below throws it.
  const plain = compressed ? pipeline(stream, createGunzip(), () => {}) : stream;
  let read = 0;
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      if (read === 0 && compressed && chunk[0] === 0x1f && chunk[1] === 0x8b) {
        throw new FetchError('The archive is compressed twice: pack it again.');
      }
      read += chunk.length;
      refuseBomb(read, size);
      if (read > limit) {
        const message = `It unpacks to more than ${limit} bytes: pack only the skills.`;
        throw new FetchError(message);
      }
      yield chunk;
    }
  } finally {
    plain.destroy();
  }
}

/** Reads by position, so that the file can be read again. */
async function* rawBytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
