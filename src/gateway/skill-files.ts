/** The files of one skill: the list that decides what may be read, and the bytes of one of them within a size limit. */

import { setImmediate } from 'node:timers/promises';
import { FileError } from '../base/files/open.ts';
import { readBelow } from '../base/files/read.ts';
import type { LibraryView } from '../catalog/library.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { ReadableFile } from '../sources/source.ts';
import { GatewayError } from './gateway-error.ts';

/** Size limit of one file, bytes: a file is held in memory whole, and the Skills extension allows no larger skill. */
const MAX_BYTES = 16 * 2 ** 20;

/** A file of this size, bytes, may keep the event loop busy for some ms: it is read when no other such file is in work. */
const LARGE_BYTES = 2 ** 16;

export interface LoadedFile extends ReadableFile {
  readonly mimeType: string;
}

/** The skill's files now. Files of a nested skill belong to that skill and are not listed. */
export async function findFiles(
  library: Pick<LibraryView, 'filesOf'>,
  entry: CatalogEntry,
): Promise<readonly LoadedFile[]> {
  const files = await library.filesOf(entry);
  // Loaded on first use: a process that only searches does not need these tables.
  const { guessMimeType } = await import('../skills/media-types.ts');
  return files.map((file) => ({ ...file, mimeType: guessMimeType(file.path) }));
}

/**
 * The bytes of one of `files`, which are all of the skill's: links lead nowhere else. Null if `path` is none of them, or
 * cannot be read. Throws `FILE_TOO_LARGE`.
 */
export async function readSkillFile(
  { folder }: Pick<CatalogEntry, 'folder'>,
  path: string,
  files: readonly Pick<LoadedFile, 'path' | 'size' | 'bytes'>[],
): Promise<Uint8Array | null> {
  const own = new Set(files.map((file) => file.path));
  const file = files.find((found) => found.path === path);
  if (file === undefined) return null;
  const { size, bytes: remote } = file;
  // What is on no disk of this machine says its size in advance; other files may have grown since.
  if (remote !== undefined && size > MAX_BYTES) throw tooLarge(path, size, MAX_BYTES);
  try {
    const read = remote ?? (() => readBelow(folder, path, (found) => own.has(found), MAX_BYTES));
    return await (size < LARGE_BYTES ? read() : oneByOne(read));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'FILE_TOO_LARGE') throw tooLarge(path, Number(error.data.size), MAX_BYTES);
    return null;
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Starts the work once the answer to the last one is made, and other events had their turn: however many callers ask for
 * large files, a few of them are in memory, and the server answers in between.
 */
function oneByOne<Result>(work: () => Promise<Result>): Promise<Result> {
  const mine = last.then(work);
  const turn = async () => {
    await setImmediate();
    await setImmediate();
  };
  last = mine.then(turn, turn);
  return mine;
}

/**
 * Size limit of a text whose headings are looked for, bytes: it keeps the event loop busy for some 20 ms. Of 24,823 skill files of
 * public catalogs none has 200 KiB.
 */
const PARSED_BYTES = 2 ** 18;

/** Throws `FILE_TOO_LARGE`. */
export function demandParsable(path: string, size: number): void {
  if (size > PARSED_BYTES) throw tooLarge(path, size, PARSED_BYTES);
}

/**
 * Size limit of a file that is answered whole, bytes: the protocol's SDK encodes an answer in one piece, which for this size
 * keeps the event loop busy for some 5 ms (`npm run bench -- attacks`). No file of 24,849 public skills has more.
 */
const WHOLE_BYTES = 2 ** 20;

/** Throws `FILE_TOO_LARGE`. */
export function demandWhole(path: string, size: number): void {
  if (size > WHOLE_BYTES) throw tooLarge(path, size, WHOLE_BYTES);
}

export function tooLarge(path: string, size: number, limit: number): GatewayError {
  return new GatewayError('FILE_TOO_LARGE', `${path} has ${size} bytes; at most ${limit} are read.`, {
    data: { path, size, limit },
  });
}
