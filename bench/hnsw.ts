/**
 * The `ef` of an HNSW graph: recall@10 against the exact scan, and time. Builds its own graph with the product's `m` and
 * `efConstruction`, because the product's graph has a fixed `ef`.
 */

import { dot } from '../index/vectors/float.ts';
import type { Corpus } from './corpus.ts';
import { quantile, seeded, shuffled } from './evaluation/statistics.ts';

/** As in `index/vectors/hnsw.ts`. */
const M = 16;
const EF_CONSTRUCTION = 200;
const SEED = 1;
const K = 10;
/** With so many queries, a recall@10 of 99 % is known to about ±0.3 points. */
const QUERIES = 500;
/**
 * A neighbour counts if it is as near as the tenth nearest, because copies of a skill have equal vectors. This is the
 * recall of ANN-Benchmarks (Aumüller, Bernhardsson and Faithfull, 2020).
 */
const TIE = 1e-6;

interface EfPoint {
  readonly ef: number;
  /** Mean share of the ten nearest that the graph finds, 0–1. */
  readonly recall: number;
  /** Median time of one search in the graph, ms. */
  readonly p50: number;
}

export interface EfCurve {
  readonly vectors: number;
  readonly points: readonly EfPoint[];
}

/** Null if hnswlib-node is not installed. The vectors are the summaries of the skills, the queries are `texts`. */
export async function efCurve(
  corpus: Corpus,
  texts: readonly string[],
  efs: readonly number[] = [10, 20, 40, 80, 160, 320],
): Promise<EfCurve | null> {
  const library = await import('hnswlib-node').then(
    (module) => module.default ?? module,
    () => null,
  );
  if (library === null) return null;
  const { reader } = await corpus.openVectors('exact');
  const vectors = Array.from(reader.ordinalsByKey(), (ordinal) => reader.documentVector(ordinal)).filter(
    (vector) => vector.some((value) => value !== 0),
  );
  const graph = new library.HierarchicalNSW('ip', corpus.embedder.dimensions);
  graph.initIndex(vectors.length, M, EF_CONSTRUCTION, SEED);
  vectors.forEach((vector, row) => {
    graph.addPoint(Array.from(vector), row);
  });
  const k = Math.min(K, vectors.length);
  const queries: { readonly vector: Float32Array; readonly least: number }[] = [];
  for (const text of shuffled(texts, seeded(SEED)).slice(0, QUERIES)) {
    const vector = await corpus.embedder.embedQuery(text);
    if (vectors.length === 0 || vector.every((value) => value === 0)) continue;
    const products = Float64Array.from(vectors, (other) => dot(vector, other)).sort();
    queries.push({ vector, least: products.at(-k)! - TIE });
  }
  const points = efs.map((ef) => {
    graph.setEf(ef);
    let found = 0;
    const times = queries.map(({ vector, least }) => {
      const query = Array.from(vector);
      const start = performance.now();
      const { neighbors } = graph.searchKnn(query, k);
      const took = performance.now() - start;
      found += neighbors.filter((row) => dot(vector, vectors[row]!) >= least).length;
      return took;
    });
    return { ef, recall: found / Math.max(1, k * queries.length), p50: quantile(times, 0.5) };
  });
  return { vectors: vectors.length, points };
}
