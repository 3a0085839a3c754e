/**
 * Verifies a graph file before native code reads it: hnswlib does not validate, and one flipped bit can crash the
 * process (reproduced). Layout of hnswlib 0.8 `saveIndex`, little-endian, 64-bit: 96 bytes of header, then the elements
 * (links, vector, label), then for each element the length of its upper links and those links.
 */

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { IndexError } from '../errors.ts';

const HEADER_BYTES = 96;
/** Bytes of an element's label. */
const LABEL_BYTES = 8;
/** Bytes per read. */
const PIECE_BYTES = 1 << 20;

/** Size and digest of a graph file; stored in the manifest. */
export interface HnswFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** The header of a graph file. */
interface HnswHeader {
  /** Rows of the matrix that the graph covers, including those without a vector. */
  readonly rows: number;
  /** Rows in the graph. */
  readonly count: number;
  readonly dimensions: number;
  /** Offset of the upper links, bytes. */
  readonly tail: number;
}

/** Reads a graph's header if the file equals the `expected` one. Throws `INDEX_DAMAGED` otherwise. */
export async function verifiedHeader(path: string, expected: HnswFile): Promise<HnswHeader> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw damaged(path, 'it cannot be opened', cause);
  });
  try {
    const { size } = await file.stat();
    if (size !== expected.bytes) throw damaged(path, `it has ${size} bytes instead of ${expected.bytes}`);
    if ((await digestOf(file)) !== expected.sha256) throw damaged(path, 'it fails its checksum');
    return await headerOf(file, path);
  } finally {
    await file.close();
  }
}

/** Whether the file equals the `expected` one. */
export const isWhole = (path: string, expected: HnswFile): Promise<boolean> =>
  verifiedHeader(path, expected).then(
    () => true,
    () => false,
  );

/**
 * Makes a new file durable and describes it. hnswlib reports no error on a full disk, so this checks that the last link
 * list ends at the end of the file. Throws `INDEX_WRITE` otherwise.
 */
export async function sealed(path: string): Promise<HnswFile> {
  // Opened for writing, because Windows cannot flush a file that is open for reading.
  const file = await open(path, 'r+').catch((cause: unknown) => {
    throw new IndexError('INDEX_WRITE', `The graph ${path} could not be created.`, { cause });
  });
  try {
    const { size } = await file.stat();
    if (!(await hasAllLinks(file, path, size)))
      throw new IndexError('INDEX_WRITE', `The graph ${path} was not written completely: is the disk full?`);
    await file.sync();
    return { bytes: size, sha256: await digestOf(file) };
  } finally {
    await file.close();
  }
}

async function hasAllLinks(file: FileHandle, path: string, size: number): Promise<boolean> {
  if (size < HEADER_BYTES) return false;
  const { count, tail } = await headerOf(file, path);
  if (tail > size) return false;
  const links = Buffer.alloc(size - tail);
  await readAt(file, tail, links);
  let end = 0;
  for (let at = 0; at < count; at += 1) {
    if (end + 4 > links.length) return false;
    end += 4 + links.readUInt32LE(end);
  }
  return end === links.length;
}

async function headerOf(file: FileHandle, path: string): Promise<HnswHeader> {
  const header = Buffer.alloc(HEADER_BYTES);
  if ((await readAt(file, 0, header)) < HEADER_BYTES) throw damaged(path, 'its header is truncated');
  const [linksAt, rows, count, elementBytes, labelAt, vectorAt] = Array.from({ length: 6 }, (_, at) =>
    Number(header.readBigUInt64LE(8 * at)),
  ) as [number, number, number, number, number, number];
  const consistent = linksAt === 0 && count <= rows && vectorAt < labelAt;
  if (!consistent || elementBytes !== labelAt + LABEL_BYTES)
    throw damaged(path, 'its header is inconsistent');
  return { rows, count, dimensions: (labelAt - vectorAt) / 4, tail: HEADER_BYTES + count * elementBytes };
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let at = 0; ; ) {
    const bytes = await readAt(file, at, piece);
    if (bytes === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytes));
    at += bytes;
  }
}

/** Fills `target` from `position` on, up to the end of the file. Returns the number of bytes read. */
async function readAt(file: FileHandle, position: number, target: Buffer): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

function damaged(path: string, what: string, cause?: unknown): IndexError {
  return new IndexError('INDEX_DAMAGED', `The graph ${path} is damaged: ${what}.`, { cause });
}
