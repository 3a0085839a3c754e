/**
 * The stamp of each skill folder when it was last hashed. A folder with the same stamp is not opened again.
 *
 * Only a shortcut: without the file, or with a damaged one, every skill is hashed once more. So the file is written last
 * and needs no checksum.
 */

import { type Directory, readJson, writeJson } from '../../../index/directory/directory.ts';

const FILE = 'stamps.json';

/** A folder's stamp, and the digest of its files at that time; null where there was nothing to index. */
export interface Stamp {
  readonly stamp: string;
  readonly digest: string | null;
}

/** The stamps of all folders, by id. */
export interface Stamps {
  /** Identity of the generation that holds exactly these digests; '' where unknown. */
  readonly generation: string;
  readonly byId: ReadonlyMap<string, Stamp>;
}

const NONE: Stamps = { generation: '', byId: new Map() };

/** Entries are `[id, stamp, digest]`. There are tens of thousands, so they are checked by hand, not by a schema. */
export function readStamps(directory: Directory): Stamps {
  const json = readJson(directory, FILE);
  if (json === null || typeof json !== 'object' || !('generation' in json) || !('stamps' in json))
    return NONE;
  const { generation, stamps } = json;
  if (typeof generation !== 'string' || !Array.isArray(stamps) || !stamps.every(isEntry)) return NONE;
  return { generation, byId: new Map(stamps.map(([id, stamp, digest]) => [id, { stamp, digest }])) };
}

export function writeStamps(directory: Directory, { generation, byId }: Stamps): void {
  const stamps = Array.from(byId, ([id, { stamp, digest }]) => [id, stamp, digest]);
  writeJson(directory, FILE, { generation, stamps });
}

function isEntry(entry: unknown): entry is [id: string, stamp: string, digest: string | null] {
  if (!Array.isArray(entry)) return false;
  const [id, stamp, digest] = entry;
  return (
    typeof id === 'string' && typeof stamp === 'string' && (typeof digest === 'string' || digest === null)
  );
}
