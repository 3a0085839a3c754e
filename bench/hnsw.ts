/**
 * What the `ef` of an HNSW graph buys: recall@10 against the exact scan, and time. Built here, beside the product's
 * own graph, since that fixes its `ef`; with its `m` and `efConstruction`.
 */

import { quantile, seeded, shuffled } from '../src/evaluation/public.ts';
import type { Corpus } from './corpus.ts';

/** The product's own (`index/vectors/hnsw.ts`). */
const M = 16;
const EF_CONSTRUCTION = 200;
const SEED = 1;
const K = 10;
/** Queries asked: recall@10 over them is known to about ±0.3 points where it is 99 %. */
const QUERIES = 500;
/**
 * A neighbour counts where it is as near as the tenth nearest, whichever of several equal ones it is (copies of a
 * skill have one vector): as ANN-Benchmarks defines recall (Aumüller, Bernhardsson and Faithfull, 2020).
 */
const TIE = 1e-6;

export interface EfPoint {
  readonly ef: number;
  /** Mean share of the exact ten nearest that the graph finds, 0–1. */
  readonly recall: number;
  /** Median time of one search in the graph, ms. */
  readonly p50: number;
}

export interface EfCurve {
  readonly vectors: number;
  readonly points: readonly EfPoint[];
}

/** Null where hnswlib-node is not installed. Vectors are the skills' summaries, queries the texts given. */
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
    const products = Float64Array.from(vectors, (other) => product(vector, other)).sort();
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
      found += neighbors.filter((row) => product(vector, vectors[row]!) >= least).length;
      return took;
    });
    return { ef, recall: found / Math.max(1, k * queries.length), p50: quantile(times, 0.5) };
  });
  return { vectors: vectors.length, points };
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
