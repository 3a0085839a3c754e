/** Which kind of vector index answers: the scan of every row, or the graph. */

import { IndexError } from '../errors.ts';
import { ExactIndex, type VectorIndex } from './exact.ts';
import { loadHnsw, whyNoHnsw } from './hnsw.ts';
import type { HnswFile } from './hnsw-file.ts';

/** `auto` takes the graph where it pays, `exact` never, `hnsw` wherever there is one. */
export type VectorMode = 'auto' | 'exact' | 'hnsw';

/**
 * Rows from which a graph pays: where a scan passes 1 ms. Below, it would answer at most half a millisecond sooner, and
 * cost its building, a file and memory as large as it, and recall. Measured on Markdown passages of public skills, 256
 * dimensions, queries of twelve words, two busy cores; p50 in ms for 10 and 100 rows:
 *
 * |    rows | scan        | walk (ef 100, 200) | recall@10, @100 | building, CPU s | file, MB | loading, ms |
 * | ------: | ----------- | ------------------ | --------------- | --------------: | -------: | ----------: |
 * |   5,000 | 0.12 / 0.15 | 0.15 / 0.29        | 0.9995 / 0.998  |               1 |        6 |          16 |
 * |  10,000 | 0.22 / 0.27 | 0.26 / 0.37        | 1 / 0.997       |               3 |       12 |          30 |
 * |  25,000 | 0.55 / 0.61 | 0.36 / 0.66        | 1 / 0.996       |               9 |       29 |         122 |
 * |  50,000 | 1.16 / 1.24 | 0.51 / 0.83        | 0.9985 / 0.994  |              26 |       59 |         202 |
 * | 100,000 | 2.0 / 2.6   | 0.64 / 0.99        | 0.9995 / 0.993  |              52 |      117 |         317 |
 * | 250,000 | 9.9 / 9.9   | 0.60 / 0.96        | 0.9975 / 0.989  |             146 |      293 |         911 |
 */
export const HNSW_ROWS = 50_000;

/** True where an index of that many rows should have a graph. */
export function wantsHnsw(mode: VectorMode, rows: number): boolean {
  return mode === 'hnsw' || (mode === 'auto' && rows >= HNSW_ROWS);
}

/**
 * The index that `mode` asks for: the graph of `file` at `path`, else `exact`. Never fails for the graph's sake: where
 * it is missing, damaged, fails to load or is not to be had on this machine, the scan answers and says so in `fallback`.
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
        : `The graph ${path} cannot be loaded (${what}): index again to build it anew.`;
    return new ExactIndex(exact.matrix, reason);
  }
}
