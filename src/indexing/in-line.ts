/**
 * Which catalog the index was last brought in line with, so that a process that starts with nothing to do takes no
 * lock and opens no document. Only a shortcut: without the file, or with a damaged one, one more run finds nothing to do.
 */

import * as z from 'zod';
import {
  type Directory,
  IndexError,
  type IndexManifest,
  readWhole,
  type VectorMode,
  wantsHnsw,
  writeWhole,
} from '#index';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { RECIPE } from '../passages/recipe.ts';

const FILE = 'catalog.json';

const schema = z.object({ generation: z.number(), digest: z.string() });

/** True where a run would find nothing to do: the index of `manifest` holds exactly this catalog, made our way. */
export function isInLine(
  directory: Directory,
  manifest: IndexManifest,
  catalog: CatalogSnapshot,
  vectors: VectorMode,
): boolean {
  const first = manifest.segments[0];
  const lacksGraph = first !== undefined && manifest.hnsw === null && wantsHnsw(vectors, first.documents);
  if (manifest.recipe !== RECIPE || lacksGraph) return false;
  const known = read(directory);
  return known?.generation === manifest.generation && known.digest === catalog.digest;
}

export function writeInLine(directory: Directory, generation: number, catalog: CatalogSnapshot): void {
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
