/**
 * What each skill folder looked like when it was last hashed: a folder with the same stamp is not opened again.
 *
 * Only a shortcut. Without the file, or with a damaged one, every skill is hashed once more and nothing else
 * happens; so it is written last and needs no checksum.
 */

import { type Directory, IndexError, readWhole, writeWhole } from '#index';

const FILE = 'stamps.json';

/** A folder's stamp and the digest that its files had then. Null digest: nothing to index (switched off, unusable). */
export interface Stamp {
  readonly stamp: string;
  readonly digest: string | null;
}

/** The stamps of all folders, by id. */
export interface Stamps {
  /** The generation that holds exactly the documents whose digests these are; 0 where none is known to. */
  readonly generation: number;
  readonly byId: ReadonlyMap<string, Stamp>;
}

const NONE: Stamps = { generation: 0, byId: new Map() };

/** As written: entries `[id, stamp, digest]`. Tens of thousands of them are checked by hand, not by a schema. */
export function readStamps(directory: Directory): Stamps {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(readWhole(directory, FILE)));
    if (json === null || typeof json !== 'object' || !('generation' in json) || !('stamps' in json))
      return NONE;
    const { generation, stamps } = json;
    if (typeof generation !== 'number' || !Array.isArray(stamps) || !stamps.every(isEntry)) return NONE;
    return { generation, byId: new Map(stamps.map(([id, stamp, digest]) => [id, { stamp, digest }])) };
  } catch (error) {
    if (error instanceof IndexError || error instanceof SyntaxError) return NONE;
    throw error;
  }
}

export function writeStamps(directory: Directory, { generation, byId }: Stamps): void {
  const stamps = Array.from(byId, ([id, { stamp, digest }]) => [id, stamp, digest]);
  writeWhole(directory, FILE, new TextEncoder().encode(JSON.stringify({ generation, stamps })));
}

function isEntry(entry: unknown): entry is [id: string, stamp: string, digest: string | null] {
  if (!Array.isArray(entry)) return false;
  const [id, stamp, digest] = entry;
  return (
    typeof id === 'string' && typeof stamp === 'string' && (typeof digest === 'string' || digest === null)
  );
}
