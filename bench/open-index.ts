/** An index on disk, for what is measured of one that is there already. */

import { diskDirectory, type Embedder, Reader } from '#index';

/** `embedder` is null where words alone are looked at. Throws where the folder holds no index. */
export function openIndex(folder: string, embedder: Embedder | null): Reader {
  const reader = Reader.open(diskDirectory(folder), { embedder });
  if (reader === null)
    throw new Error(`There is no index in ${folder}: make it with skillgate index --index DIR.`);
  return reader;
}
