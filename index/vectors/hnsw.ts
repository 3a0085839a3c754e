/**
 * Approximate nearest-neighbour search in a graph (HNSW: Malkov & Yashunin, arXiv 1603.09320; hnswlib-node, an optional
 * dependency). The graph proposes rows and the matrix scores them, so both kinds of index give the same scores.
 * `choose.ts` decides when to use it.
 */

import { setImmediate } from 'node:timers/promises';
import type { HierarchicalNSW } from 'hnswlib-node';
import { IndexError } from '../errors.ts';
import { type Ranking, TopK } from '../ranking.ts';
import type { ExactIndex, VectorIndex } from './exact.ts';
import { type HnswFile, sealed, verifiedHeader } from './hnsw-file.ts';

/** Links per row on each upper level; twice as many on the lowest. 32 did not improve recall at 100,000 × 256. */
const M = 16;
/** Of the random levels of rows. */
const SEED = 1;
/** Candidates considered for the links of a new row: hnswlib's default. */
const EF_CONSTRUCTION = 200;
/**
 * Candidates during a search (`ef`): at least 100, and twice the number of results. `bench/TRIED.md` has the recall.
 */
const EF_LEAST = 100;
const EF_SHARE = 2;
/** Rows added before yielding to other work: about 30 ms. */
const SLICE_ROWS = 32;
/** Share of accepted rows below which scanning them is faster than the graph, at 100,000 rows. */
const FILTER_SHARE = 1 / 3;
/** Fetches this many times the expected number of rows, because accepted rows are not evenly distributed. */
const FILTER_MARGIN = 1.5;

/** HNSW is not available on this machine. */
export interface HnswUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
}

/** The part of hnswlib in use. */
type Graph = Pick<HierarchicalNSW, 'getCurrentCount' | 'searchKnn' | 'setEf' | 'writeIndex'>;

export class HnswIndex implements VectorIndex {
  readonly kind = 'hnsw';
  readonly fallback = null;
  readonly #graph: Graph;
  readonly #exact: ExactIndex;
  /** Rows from this one on are newer than the graph and are scanned. */
  readonly #rows: number;
  readonly #count: number;
  /** Share of accepted rows by filter: the same filters recur, and counting is linear in rows. */
  readonly #shares = new WeakMap<Uint8Array, number>();

  /** `graph` contains the non-zero vectors of the first `rows` rows, labelled with their row. */
  constructor(graph: Graph, exact: ExactIndex, rows: number) {
    this.#graph = graph;
    this.#exact = exact;
    this.#rows = rows;
    this.#count = graph.getCurrentCount();
  }

  nearest(query: Float32Array, k: number, accept?: Uint8Array): Ranking {
    return this.#walk(query, k, accept) ?? this.#exact.nearest(query, k, accept);
  }

  /** The same graph over another matrix that starts with the same rows. */
  over(exact: ExactIndex): HnswIndex {
    return new HnswIndex(this.#graph, exact, this.#rows);
  }

  /**
   * Writes the graph to `path` and makes it durable; the caller renames it into place. Throws `INDEX_WRITE` if the
   * medium refuses.
   */
  async save(path: string): Promise<HnswFile> {
    try {
      await this.#graph.writeIndex(path);
    } catch (cause) {
      throw new IndexError('INDEX_WRITE', `The graph ${path} cannot be written.`, { cause });
    }
    return sealed(path);
  }

  /** Searches the graph. Null if a scan is faster, or is needed to answer or to reject the query. */
  #walk(query: Float32Array, k: number, accept: Uint8Array | undefined): Ranking | null {
    const { rows, dimensions } = this.#exact.matrix;
    const usable =
      query.length === dimensions && query.every(Number.isFinite) && query.some((value) => value !== 0);
    if (!usable || k < 1 || (accept !== undefined && accept.length !== rows)) return null;
    const share = accept === undefined ? 1 : this.#shareOf(accept);
    const fetch = share === 1 ? k : Math.ceil((k / share) * FILTER_MARGIN);
    if (share < FILTER_SHARE || fetch >= this.#count) return null;
    this.#graph.setEf(Math.max(EF_LEAST, EF_SHARE * fetch));
    // Filtered here: a callback inside hnswlib is slower than the search, and an exception in it aborts the process.
    const { neighbors } = this.#graph.searchKnn(Array.from(query), fetch);
    const found = accept === undefined ? neighbors : neighbors.filter((row) => accept[row] !== 0);
    if (found.length < k) return null;
    const best = new TopK(k);
    const scores = new Float32Array(found.length);
    this.#exact.dotsAt(query, Uint32Array.from(found), scores);
    found.forEach((row, at) => {
      best.push(row, scores[at]!);
    });
    this.#exact.collect(query, this.#rows, rows, best, accept);
    return best.drain();
  }

  /** Share of the graph's rows that are accepted, 0–1. Cached, so a filter must not change after its first use. */
  #shareOf(accept: Uint8Array): number {
    let share = this.#shares.get(accept);
    if (share === undefined) {
      let accepted = 0;
      for (let row = 0; row < this.#rows; row += 1) accepted += accept[row]!;
      share = this.#rows === 0 ? 0 : accepted / this.#rows;
      this.#shares.set(accept, share);
    }
    return share;
  }
}

/**
 * Builds a graph over all rows of `exact`, in slices that let other work run; equal rows give equal graphs. `onProgress` gets
 * the number of rows done and their total.
 */
export async function buildHnsw(
  exact: ExactIndex,
  onProgress?: (done: number, total: number) => void,
): Promise<HnswIndex | HnswUnavailable> {
  const library = await hnswlib();
  if ('kind' in library) return library;
  const { matrix } = exact;
  const graph = new library.HierarchicalNSW('ip', matrix.dimensions);
  graph.initIndex(matrix.rows, M, EF_CONSTRUCTION, SEED);
  for (let from = 0; from < matrix.rows; from += SLICE_ROWS) {
    const to = Math.min(from + SLICE_ROWS, matrix.rows);
    for (let row = from; row < to; row += 1)
      if (matrix.scales[row]! > 0) graph.addPoint(Array.from(matrix.vector(row)), row);
    onProgress?.(to, matrix.rows);
    await setImmediate();
  }
  return new HnswIndex(graph, exact, matrix.rows);
}

/**
 * Opens a graph over the first rows of `exact`. Before native code reads the file, checks its size, checksum and
 * header, and that it holds exactly the rows with a vector. Throws `INDEX_DAMAGED` otherwise.
 */
export async function loadHnsw(
  path: string,
  expected: HnswFile,
  exact: ExactIndex,
): Promise<HnswIndex | HnswUnavailable> {
  const library = await hnswlib();
  if ('kind' in library) return library;
  const { matrix } = exact;
  const header = await verifiedHeader(path, expected);
  const vectors = matrix.scales.subarray(0, header.rows).reduce((sum, scale) => sum + Number(scale > 0), 0);
  if (header.dimensions !== matrix.dimensions || header.rows > matrix.rows || header.count !== vectors)
    throw new IndexError(
      'INDEX_DAMAGED',
      `The graph ${path} has ${header.count} vectors of ${header.dimensions} dimensions, the index has ${vectors} of ${matrix.dimensions}.`,
    );
  // A new object each time: loading into a used one crashes the process.
  const graph = new library.HierarchicalNSW('ip', matrix.dimensions);
  await graph.readIndex(path);
  return new HnswIndex(graph, exact, header.rows);
}

type Library = Pick<typeof import('hnswlib-node'), 'HierarchicalNSW'> | HnswUnavailable;

let library: Promise<Library> | undefined;

/** Loads the library once per process or thread: Node looks for a missing package in every parent folder. */
function hnswlib(): Promise<Library> {
  library ??= loadLibrary();
  return library;
}

async function loadLibrary(): Promise<Library> {
  try {
    const module = await import('hnswlib-node');
    return module.default ?? module;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { kind: 'unavailable', reason: `The package hnswlib-node cannot be loaded (${reason}).` };
  }
}

/** Why a graph is not possible on this machine, or null. */
export async function whyNoHnsw(): Promise<string | null> {
  const module = await hnswlib();
  return 'reason' in module ? `${module.reason} Without it every row is scanned.` : null;
}
