/** The HNSW graph over a segment's document vectors, in a file next to it. It only makes search faster: its recall is measured. */

import { renameSync, rmSync } from 'node:fs';
import type { Directory } from '../directory/directory.ts';
import type { HnswInfo, IndexManifest } from '../manifest.ts';
import { seeded } from '../numbers.ts';
import { type VectorMode, wantsHnsw } from '../vectors/choose.ts';
import { ExactIndex, type VectorIndex } from '../vectors/exact.ts';
import { buildHnsw, whyNoHnsw } from '../vectors/hnsw.ts';
import { isWhole } from '../vectors/hnsw-file.ts';
import { Int8Matrix } from '../vectors/matrix.ts';
import { SegmentReader } from './reader.ts';

/** Whether the first segment should have a graph, has none that is whole, and one can be built on this machine. */
export async function lacksHnsw(
  directory: Directory,
  { segments, hnsw }: IndexManifest,
  mode: VectorMode,
): Promise<boolean> {
  const first = segments[0];
  if (first === undefined || !wantsHnsw(mode, first.documents)) return false;
  if (directory.pathOf(first.name) === null || (await whyNoHnsw()) !== null) return false;
  const path = hnsw === null ? null : directory.pathOf(hnsw.name);
  return hnsw === null || path === null || !(await isWhole(path, hnsw));
}

/**
 * Builds the graph of `segment` and writes it as `name`. Calls `advance` with the rows done since its last call. Null
 * if hnswlib-node is not installed, or the directory has no files that native code can open.
 */
export async function writeHnsw(
  directory: Directory,
  segment: string,
  name: string,
  advance: (rows: number) => void,
): Promise<HnswInfo | null> {
  const path = directory.pathOf(name);
  if (path === null) return null;
  const exact = new ExactIndex(documentMatrix(directory, segment));
  let before = 0;
  const graph = await buildHnsw(exact, (done) => {
    advance(done - before);
    before = done;
  });
  if (graph.kind === 'unavailable') return null;
  const temporary = `${path}.${process.pid}.writing`;
  try {
    const file = await graph.save(temporary);
    renameSync(temporary, path);
    return { name, segment, ...file, recall: recallOf(graph, exact) };
  } finally {
    rmSync(temporary, { force: true });
  }
}

function documentMatrix(directory: Directory, segment: string): Int8Matrix {
  const reader = new SegmentReader(directory, segment);
  try {
    const { documents, dimensions } = reader.meta;
    const matrix = Int8Matrix.allocate(documents, dimensions);
    matrix.fill(0, documents, (target) => reader.sections.readInto('vectors.documents', target));
    matrix.scales.set(reader.sections.float32('vectors.documents.scales'));
    return matrix;
  } finally {
    reader.close();
  }
}

/** Rows used as queries: a standard error of about 0.003 at a recall of 0.99. */
const SAMPLE = 200;
/** Results that count. */
const RESULTS = 10;

/**
 * Mean recall@10 of `index`, 0–1. The queries are rows, drawn with replacement; a row is not its own neighbour. A result
 * counts if its score is at least that of the tenth exact one, so ties between duplicates are no misses (as in
 * ANN-Benchmarks, arXiv 1807.05614). 1 if no row has a vector.
 */
export function recallOf(index: VectorIndex, exact: ExactIndex): number {
  const { matrix } = exact;
  const candidates = Uint32Array.from(matrix.scales.keys()).filter((row) => matrix.scales[row]! > 0);
  if (candidates.length === 0) return 1;
  const random = seeded(1);
  let sum = 0;
  for (let drawn = 0; drawn < SAMPLE; drawn += 1) {
    const row = candidates[Math.floor(random() * candidates.length)]!;
    const query = matrix.vector(row);
    const wanted = scoresWithout(exact, query, row);
    const found = scoresWithout(index, query, row);
    const least = wanted.at(-1);
    sum += least === undefined ? 1 : found.filter((score) => score >= least).length / wanted.length;
  }
  return sum / SAMPLE;
}

function scoresWithout(index: VectorIndex, query: Float32Array, self: number): number[] {
  const { ordinals, scores } = index.nearest(query, RESULTS + 1);
  return Array.from(scores)
    .filter((_, at) => ordinals[at] !== self)
    .slice(0, RESULTS);
}
