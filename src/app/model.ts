/** The configured model, and the skills of an index that it made. */

import { join } from 'node:path';
import { Reader } from '../../index/reader/reader.ts';
import { indexDirectory } from '../catalog/index-directory.ts';
import { openEmbedder } from '../search/embedding/open.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { packageRoot } from './package-root.ts';
import type { Settings } from './settings.ts';

/** Where the shipped models are. */
export const modelsFolder = (): string => join(packageRoot(), 'models');

/** As those open it who only search: a download is not reported. */
export const openModel = ({ embedder, cacheFolder }: Pick<Settings, 'embedder' | 'cacheFolder'>) =>
  openEmbedder(embedder, { modelsFolder: modelsFolder(), cacheFolder });

/** The skills in the index as it is on disk; null where there is none, or it cannot be read: the check of the index reports that. */
export async function indexedEntries(settings: Settings): Promise<readonly CatalogEntry[] | null> {
  try {
    const embedder = await openModel(settings);
    const reader = Reader.open(indexDirectory(settings.indexFolder), { embedder, vectors: 'exact' });
    if (reader === null) return null;
    const entries = Array.from(reader.ordinalsByKey(), (ordinal) => entryAt(reader, ordinal));
    reader.close();
    return entries;
  } catch {
    return null;
  }
}
