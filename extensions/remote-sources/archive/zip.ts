/** Zip archives. The directory at the end lists all entries before anything is unpacked. */

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
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

/** File types in a Unix mode. */
const TYPE = 0o170000;
const LINK = 0o120000;
const FOLDER = 0o040000;
const PLAIN = 0o100000;
/** Hosts in `versionMadeBy` whose attributes are a Unix mode: Unix, macOS. */
const UNIX_HOSTS = new Set([3, 19]);
/** A link's target is a path. */
const MAX_TARGET = 4_096;

export async function openZip(file: FileHandle): Promise<Archive> {
  const { size: fileSize } = await file.stat();
  const zip = await yauzl
    .fromFdPromise(file.fd, { autoClose: false, lazyEntries: true, decodeStrings: false })
    .catch((cause: unknown) => {
      throw damaged(cause);
    });
  const raw: yauzl.Entry[] = [];
  const entries: Entry[] = [];
  try {
    refuseManyEntries(zip.entryCount);
    let packed = 0;
    let unpacked = 0;
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
      packed += entry.compressedSize;
      unpacked += entry.uncompressedSize;
      // Bombs of overlapping entries use the same bytes many times.
      if (packed > fileSize) throw damaged(new Error('its entries overlap'));
      refuseBomb(unpacked, fileSize);
      if (isFolder(name, entry)) continue;
      if (entry.isEncrypted()) throw encrypted();
      raw.push(entry);
      entries.push({
        path: plainPath(name),
        type: readType(entry),
        executable: (readMode(entry) & 0o111) !== 0,
        size: entry.uncompressedSize,
        target: readType(entry) === 'link' ? await readTarget(zip, entry) : null,
      });
    }
    entries.forEach(refuseEscapingLink);
  } catch (cause) {
    throw damaged(cause);
  }
  return {
    entries,
    async read(wanted, take) {
      for (const [at, entry] of raw.entries()) {
        if (wanted.has(at)) await take(at, bytesOf(zip, entry));
      }
    },
  };
}

async function* bytesOf(zip: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (cause) {
    throw damaged(cause);
  }
  if (checksum !== entry.crc32) throw damaged(new Error('a checksum does not match'));
}

async function readTarget(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<string> {
  if (entry.uncompressedSize > MAX_TARGET) throw damaged(new Error('a link’s target is too long'));
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(zip, entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The Unix mode; 0 if the archive was made on a system without. */
function readMode({ versionMadeBy, externalFileAttributes }: yauzl.Entry): number {
  return UNIX_HOSTS.has(versionMadeBy >> 8) ? externalFileAttributes >>> 16 : 0;
}

function isFolder(name: string, entry: yauzl.Entry): boolean {
  return name.endsWith('/') || (readMode(entry) & TYPE) === FOLDER;
}

function readType(entry: yauzl.Entry): Entry['type'] {
  const type = readMode(entry) & TYPE;
  if (type === LINK) return 'link';
  return type === PLAIN || type === 0 ? 'file' : 'other';
}

function encrypted(): FetchError {
  return new FetchError('The archive is encrypted: pack it again without a password.');
}
