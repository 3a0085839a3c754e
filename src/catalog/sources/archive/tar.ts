/**
 * Tar archives, compressed by gzip or not. They have no directory, so they are read twice: once to list what there
 * is, once for the files that are wanted.
 */

import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { FetchError } from '../../errors.ts';
import {
  type Archive,
  damaged,
  type Entry,
  plainPath,
  refuseBomb,
  refuseLeadingOut,
  refuseManyEntries,
} from './entries.ts';

const FILES = new Set<string>(['File', 'OldFile', 'ContiguousFile']);
const LINKS = new Set<string>(['Link', 'SymbolicLink']);
const FOLDERS = new Set<string>(['Directory', 'GNUDumpDir']);
/** Bytes of a tar are at most this many times those that may be taken: the rest is read past. */
const PASSED_OVER = 8;
/** And this many in any case. */
const PASSED_BYTES = 64 * 2 ** 20;
const READ_BYTES = 2 ** 18;
/** Bytes of a tar's block; the last one is all zeros, else the archive was cut off between two entries. */
const BLOCK = 512;

export async function openTar(
  file: FileHandle,
  compressed: boolean,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Archive> {
  const limit = maxBytes * PASSED_OVER + PASSED_BYTES;
  const entries: Entry[] = [];
  let seen = 0;
  await parse(file, compressed, limit, signal, (entry) => {
    seen += 1;
    refuseManyEntries(seen);
    entry.resume();
    if (FOLDERS.has(entry.type)) return null;
    entries.push({
      path: plainPath(entry.path),
      type: FILES.has(entry.type) ? 'file' : LINKS.has(entry.type) ? 'link' : 'other',
      executable: ((entry.mode ?? 0) & 0o111) !== 0,
      size: entry.size,
      target: LINKS.has(entry.type) ? (entry.linkpath ?? '') : null,
    });
    refuseTarget(entry, entries.at(-1));
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
    // The file's owner closes it.
    close: async () => {},
  };
}

/** A hard link's target counts from the archive's root, a symbolic one's from where the link is. */
function refuseTarget({ type }: ReadEntry, entry: Entry | undefined): void {
  if (entry === undefined) return;
  refuseLeadingOut(type === 'Link' ? { ...entry, path: 'link' } : entry);
}

/** Every entry in order; each must be read or resumed. What is promised for one is awaited before the next. */
async function parse(
  file: FileHandle,
  compressed: boolean,
  limit: number,
  signal: AbortSignal,
  onEntry: (entry: ReadEntry) => Promise<void> | null,
): Promise<void> {
  let failure: unknown = null;
  let work: Promise<void> = Promise.resolve();
  let current: ReadEntry | null = null;
  let complete = false;
  const parser = new Parser({
    brotli: false,
    zstd: false,
    onwarn: (_code, message) => {
      failure ??= damaged(message);
    },
    onReadEntry: (entry) => {
      try {
        const taken = onEntry(entry);
        if (taken === null) return;
        current = entry;
        work = taken.catch((error: unknown) => {
          failure ??= error;
          entry.resume();
        });
      } catch (error) {
        failure ??= error;
        entry.resume();
      }
    },
  });
  parser.on('end', () => {
    complete = true;
  });
  parser.on('error', (error: unknown) => {
    failure ??= damaged(error);
  });
  const { size } = await file.stat();
  let last: Buffer = Buffer.alloc(0);
  let length = 0;
  try {
    for await (const piece of bytesOf(file, compressed, size, limit, signal)) {
      if (failure !== null) throw failure;
      length += piece.length;
      last = Buffer.concat([last, piece.subarray(-BLOCK)]).subarray(-BLOCK);
      if (!parser.write(piece)) await once(parser, 'drain');
    }
    if (failure !== null) throw failure;
    const ends = length % BLOCK === 0 && last.length === BLOCK && last.every((byte) => byte === 0);
    if (!ends) throw new Error('its end is missing');
    parser.end();
    await work;
    if (!complete && failure === null) await once(parser, 'end');
    if (failure !== null) throw failure;
  } catch (cause) {
    // Whoever reads the entry that the archive broke off in must not wait for its rest.
    (current as ReadEntry | null)?.destroy(new Error('broken off'));
    await work;
    signal.throwIfAborted();
    throw damaged(failure ?? cause);
  }
}

async function* bytesOf(
  file: FileHandle,
  compressed: boolean,
  size: number,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const stream = Readable.from(rawBytesOf(file), { objectMode: false });
  // Ends both with an error where one of them has it; the loop below hears of it.
  const plain = compressed ? pipeline(stream, createGunzip(), () => {}) : stream;
  let read = 0;
  try {
    for await (const piece of plain as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      if (read === 0 && compressed && piece[0] === 0x1f && piece[1] === 0x8b) {
        throw new FetchError('FETCH_INVALID', 'The archive is compressed twice: pack it anew.');
      }
      read += piece.length;
      refuseBomb(read, size);
      if (read > limit) {
        const message = `It unpacks to more than ${limit} bytes: raise maxBytes, or pack the skills alone.`;
        throw new FetchError('FETCH_TOO_LARGE', message);
      }
      yield piece;
    }
  } finally {
    plain.destroy();
  }
}

/** By position, so that the file can be read again. */
async function* rawBytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
