/** The files of one skill's folder: the list, and the bytes of one file within a size limit. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CatalogEntry } from '../catalog/public.ts';
import type { FileKind } from '../skills/public.ts';
import { localSource } from '../sources/public.ts';
import { GatewayError } from './gateway-error.ts';

/** Size limit of one file, bytes: a file is held in memory whole, and the Skills extension allows no larger skill. */
const MAX_BYTES = 16 * 2 ** 20;

export interface LoadedFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly size: number;
  readonly mimeType: string;
}

/** What the skill's folder holds now. Files of a nested skill belong to that skill and are not listed. */
export async function filesOf(entry: CatalogEntry): Promise<readonly LoadedFile[]> {
  const { folders } = await localSource({ name: entry.source, root: entry.folder }).scan();
  const files = folders.find(({ folder }) => folder === entry.folder)?.files ?? [];
  // Loaded on first use: a process that only searches does not need these tables.
  const { mimeTypeOf } = await import('../skills/public.ts');
  return files.map((file) => ({ ...file, mimeType: mimeTypeOf(file.path) }));
}

/** Null where the path is not a readable regular file. Throws `FILE_TOO_LARGE`. */
export async function readSkillFile(absolute: string): Promise<Uint8Array | null> {
  // Without O_NONBLOCK, opening a named pipe waits for a writer.
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
    data: { path, size, limit },
  });
}
