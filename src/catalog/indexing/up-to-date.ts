/**
 * Remembers the catalog that the index was built from, so that a process that starts without changes takes no lock and
 * opens no document. Only a shortcut: without the file, or with a damaged one, one more run finds nothing to do.
 */

import * as z from 'zod';
import { type Directory, readJson, writeJson } from '../../../index/directory/directory.ts';
import { type IndexManifest, identityOf } from '../../../index/manifest.ts';
import { lacksHnsw } from '../../../index/segment/graph.ts';
import type { VectorMode } from '../../../index/vectors/choose.ts';
import { PASSAGE_VERSION } from '../../search/passages/version.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';

const FILE = 'catalog.json';

const schema = z.object({ generation: z.string(), digest: z.string() });

/** True where a run would do nothing: the index holds exactly this catalog, built with the present recipe. */
export async function isUpToDate(
  directory: Directory,
  manifest: IndexManifest,
  catalog: CatalogSnapshot,
  vectors: VectorMode,
): Promise<boolean> {
  const stored = schema.safeParse(readJson(directory, FILE)).data;
  const isSame = stored?.generation === identityOf(manifest) && stored.digest === catalog.digest;
  return manifest.recipe === PASSAGE_VERSION && isSame && !(await lacksHnsw(directory, manifest, vectors));
}

export function recordUpToDate(
  directory: Directory,
  manifest: IndexManifest,
  catalog: CatalogSnapshot,
): void {
  writeJson(directory, FILE, { generation: identityOf(manifest), digest: catalog.digest });
}
