/** Bytes of one file of a skill, within bounds: what is no regular file, or too large to hold, is not read. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { GatewayError } from './gateway.ts';

/** Larger files are refused, bytes: they would be held in memory whole, and the Skills extension allows no larger skill. */
export const MAX_BYTES = 16 * 2 ** 20;

/** Null where there is no such file, or none that may be read. Throws `FILE_TOO_LARGE`. */
export async function readSkillFile(absolute: string): Promise<Uint8Array | null> {
  // Opening a named pipe would otherwise wait for somebody to write into it.
  const file = await open(absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null);
  if (file === null) return null;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return null;
    if (stat.size > MAX_BYTES) throw tooLarge(basename(absolute), stat.size, MAX_BYTES);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export function tooLarge(path: string, size: number, limit: number): GatewayError {
  return new GatewayError('FILE_TOO_LARGE', `${path} has ${size} bytes; at most ${limit} are read.`, {
    path,
    size,
    limit,
  });
}
