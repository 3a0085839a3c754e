/** Opens an existing index on disk. */

import type { Embedder } from '../index/embedder.ts';
import { Reader } from '../index/reader/reader.ts';
import { indexDirectory } from '../src/catalog/index-directory.ts';

/** `embedder` is null for a search by words only. Throws if the folder holds no index. */
export function openIndex(folder: string, embedder: Embedder | null): Reader {
  const reader = Reader.open(indexDirectory(folder), { embedder });
  if (reader === null)
    throw new Error(`There is no index in ${folder}. Make one with skillgate index --index DIR.`);
  return reader;
}
