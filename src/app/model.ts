/** The configured model, and the skills of an index that it made. */

import { join } from 'node:path';
import { diskDirectory } from '../../index/directory/disk.ts';
import { Reader } from '../../index/reader/reader.ts';
import { whyNoHnsw } from '../../index/vectors/hnsw.ts';
import { openEmbedder } from '../search/embedding/open.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { AppError } from './app-error.ts';
import { packageRoot } from './package-root.ts';
import type { Settings } from './settings.ts';

/** Where the shipped models are. */
export const modelsFolder = (): string => join(packageRoot(), 'models');

/** As those open it who only search: a download is not reported. */
export const modelOf = ({ embedder, cacheFolder }: Pick<Settings, 'embedder' | 'cacheFolder'>) =>
  openEmbedder(embedder, { modelsFolder: modelsFolder(), cacheFolder });

/** Rejects with `SETTING_INVALID` where graphs were asked for and none can be used on this machine. */
export async function requireVectors({ vectors }: Pick<Settings, 'vectors'>): Promise<void> {
  const reason = vectors === 'hnsw' ? await whyNoHnsw() : null;
  if (reason !== null)
    throw new AppError(
      'SETTING_INVALID',
      `--vectors hnsw cannot be used: ${reason} Run npm install hnswlib-node, which needs a C++ compiler, or leave the setting out.`,
    );
}

/** The skills in the index as it is on disk; null where there is none, or it cannot be read: the check of the index reports that. */
export async function indexedEntries(settings: Settings): Promise<readonly CatalogEntry[] | null> {
  try {
    const embedder = await modelOf(settings);
    const reader = Reader.open(diskDirectory(settings.indexFolder), { embedder, vectors: 'exact' });
    if (reader === null) return null;
    const entries = Array.from(reader.ordinalsByKey(), (ordinal) => entryAt(reader, ordinal));
    reader.close();
    return entries;
  } catch {
    return null;
  }
}
