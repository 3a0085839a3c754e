/**
 * What each skill folder looked like when it was last hashed: a folder with the same stamp is not opened again.
 *
 * Only a shortcut. Without the file, or with a damaged one, every skill is hashed once more and nothing else
 * happens; so it is written last and needs no checksum.
 */

import * as z from 'zod';
import { type Directory, IndexError, readWhole, writeWhole } from '#index';

const FILE = 'stamps.json';

/** A folder's stamp and the digest that its files had then. Null digest: nothing to index (switched off, unusable). */
export interface Stamp {
  readonly stamp: string;
  readonly digest: string | null;
}

const schema = z.record(z.string(), z.tuple([z.string(), z.string().nullable()]));

export function readStamps(directory: Directory): Map<string, Stamp> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(readWhole(directory, FILE)));
    return new Map(
      Object.entries(schema.parse(json)).map(([id, [stamp, digest]]) => [id, { stamp, digest }]),
    );
  } catch (error) {
    const expected =
      error instanceof IndexError || error instanceof SyntaxError || error instanceof z.ZodError;
    if (!expected) throw error;
    return new Map();
  }
}

export function writeStamps(directory: Directory, stamps: ReadonlyMap<string, Stamp>): void {
  const json = Object.fromEntries([...stamps].map(([id, { stamp, digest }]) => [id, [stamp, digest]]));
  writeWhole(directory, FILE, new TextEncoder().encode(JSON.stringify(json)));
}
