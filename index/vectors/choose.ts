/** Chooses between the exact scan and the graph. */

import { IndexError } from '../errors.ts';
import { ExactIndex, type VectorIndex } from './exact.ts';
import { loadHnsw, whyNoHnsw } from './hnsw.ts';
import type { HnswFile } from './hnsw-file.ts';

/** `auto` uses the graph where it is faster, `exact` never, `hnsw` wherever there is one. */
export type VectorMode = 'auto' | 'exact' | 'hnsw';

/**
 * Number of rows from which a graph is worth building: where a scan takes more than 1 ms. For fewer rows it would save
 * at most half a millisecond, and cost time to build, disk, memory and recall. `bench/TRIED.md` has the table.
 */
export const HNSW_ROWS = 50_000;

/** Whether an index with so many rows should have a graph. */
export function wantsHnsw(mode: VectorMode, rows: number): boolean {
  return mode === 'hnsw' || (mode === 'auto' && rows >= HNSW_ROWS);
}

/**
 * The index for `mode`: the graph of `file` at `path`, or else a scan. A missing, damaged, unloadable or unsupported
 * graph is no error: the scan answers and gives the reason in `fallback`.
 */
export async function chooseVectorIndex(
  exact: ExactIndex,
  mode: VectorMode,
  file: HnswFile | null,
  path: string | null,
): Promise<VectorIndex> {
  if (!wantsHnsw(mode, exact.matrix.rows)) return exact;
  if (file === null || path === null) {
    const reason = (await whyNoHnsw()) ?? 'The index has no HNSW graph: index again to build one.';
    return new ExactIndex(exact.matrix, reason);
  }
  try {
    const index = await loadHnsw(path, file, exact);
    return index.kind === 'unavailable' ? new ExactIndex(exact.matrix, index.reason) : index;
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const reason =
      error instanceof IndexError
        ? what
        : `The graph ${path} cannot be loaded (${what}): index again to rebuild it.`;
    return new ExactIndex(exact.matrix, reason);
  }
}
