/**
 * Remembers the catalog that the index was built from, so that a process that starts without changes takes no lock and
 * opens no document. Only a shortcut: without the file, or with a damaged one, one more run finds nothing to do.
 */

import * as z from 'zod';
import {
  type Directory,
  IndexError,
  type IndexManifest,
  lacksHnsw,
  readWhole,
  type VectorMode,
  writeWhole,
} from '#index';
import type { CatalogSnapshot } from '../catalog/public.ts';
import { PASSAGE_VERSION } from '../passages/public.ts';

const FILE = 'catalog.json';

const schema = z.object({ generation: z.number(), digest: z.string() });

/** True where a run would do nothing: the index holds exactly this catalog, built with the present recipe. */
export async function isUpToDate(
  directory: Directory,
  manifest: IndexManifest,
  catalog: CatalogSnapshot,
  vectors: VectorMode,
): Promise<boolean> {
  const stored = read(directory);
  const isSame = stored?.generation === manifest.generation && stored.digest === catalog.digest;
  return manifest.recipe === PASSAGE_VERSION && isSame && !(await lacksHnsw(directory, manifest, vectors));
}

export function recordUpToDate(directory: Directory, generation: number, catalog: CatalogSnapshot): void {
  const json = JSON.stringify({ generation, digest: catalog.digest });
  writeWhole(directory, FILE, new TextEncoder().encode(json));
}

function read(directory: Directory): z.infer<typeof schema> | null {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(readWhole(directory, FILE))));
  } catch (error) {
    const expected =
      error instanceof IndexError || error instanceof SyntaxError || error instanceof z.ZodError;
    if (!expected) throw error;
    return null;
  }
}
