/** Reads and hashes one file of a skill in bounded memory, whatever its size. */

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { errorMessage } from '../../base/errors.ts';
import { FileError, openBelow } from '../../base/files/open.ts';
import { diagnose } from '../../skills/diagnostics.ts';
import { hashBytes } from '../../skills/digest.ts';
import type { Diagnostic } from '../../skills/skill.ts';

/** Bytes of a file that are held in memory and can be indexed: the protocol's limit for a whole skill. */
export const MAX_READ = 16_777_216;
/** Bytes of a file that are hashed; of a longer file, the rest counts by its length only. */
const MAX_HASHED = 268_435_456;
const BLOCK = 1_048_576;

interface ReadFile {
  /** The file, or its first `MAX_READ` bytes. */
  readonly bytes: Uint8Array;
  /** True if `bytes` is the whole file. */
  readonly whole: boolean;
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
}

/** `isOwn` says which paths are files of the skill: links lead to those only. */
export function readSkillFile(
  folder: string,
  path: string,
  isOwn: (path: string) => boolean,
): ReadFile | { readonly fault: Diagnostic } {
  try {
    const file = openBelow(folder, path, isOwn);
    try {
      return readOpen(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const reason = error instanceof FileError ? error.reason : `cannot be read: ${errorMessage(error)}.`;
    return { fault: diagnose('file-unreadable', path, `The file ${reason}`) };
  }
}

function readOpen(file: number): ReadFile {
  const { size } = fstatSync(file);
  const buffer = Buffer.allocUnsafe(Math.min(size, MAX_READ));
  const bytes = buffer.subarray(0, fill(file, buffer));
  if (size <= MAX_READ) return { bytes, whole: true, sha256: hashBytes(bytes) };
  const hash = createHash('sha256').update(bytes);
  const block = Buffer.allocUnsafe(BLOCK);
  let hashed = bytes.length;
  while (hashed < MAX_HASHED) {
    const read = readSync(file, block, 0, BLOCK, null);
    if (read === 0) break;
    hash.update(block.subarray(0, read));
    hashed += read;
  }
  if (hashed < size) hash.update(`${size} bytes`);
  return { bytes, whole: false, sha256: hash.digest('hex') };
}

/** Number of bytes read into the buffer: fewer than it holds if the file was truncated meanwhile. */
function fill(file: number, buffer: Buffer): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(file, buffer, filled, buffer.length - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}
