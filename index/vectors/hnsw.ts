/**
 * The nearest rows by a walk over a graph (HNSW: Malkov & Yashunin, arXiv 1603.09320; hnswlib-node, an optional
 * dependency). The graph is a cache beside the matrix: it proposes rows, the matrix scores them, so that both kinds
 * of index give the same scores. Whether a graph pays is `choose.ts`'s affair.
 */

import type { HierarchicalNSW } from 'hnswlib-node';
import { IndexError } from '../errors.ts';
import { type Ranking, TopK } from '../ranking.ts';
import type { ExactIndex, VectorIndex } from './exact.ts';
import { type HnswFile, sealed, verifiedHeader } from './hnsw-file.ts';

/** Links of a row on each upper level; twice as many on the lowest. 32 brought no recall at 100,000 × 256. */
const M = 16;
/** Candidates weighed for the links of a new row: hnswlib's default. */
const EF_CONSTRUCTION = 200;
/**
 * Candidates kept while walking (`ef`): at least 100, and twice what is asked for. At 100,000 × 256 that gives a
 * recall@10 of 0.9995 and a recall@100 of 0.993 (Markdown passages under the shipped model).
 */
const EF_LEAST = 100;
const EF_SHARE = 2;
/** Rows added before other work gets its turn: 30 ms at 1,000 rows a second. */
const SLICE_ROWS = 32;
/** Share of accepted rows below which scanning them alone is faster: at 100,000 rows, where a scan takes 2 ms, a walk 0.7. */
const FILTER_SHARE = 1 / 3;
/** How many more rows than the expected number are fetched, since accepted rows are not spread evenly. */
const FILTER_MARGIN = 1.5;

/** There is no HNSW on this machine. */
export interface HnswUnavailable {
  readonly kind: 'unavailable';
  readonly reason: string;
}

/** What is used of hnswlib. */
export type Graph = Pick<HierarchicalNSW, 'getCurrentCount' | 'searchKnn' | 'setEf' | 'writeIndex'>;

export interface HnswBuildOptions {
  /** Makes the same graph of the same rows; default 1. */
  readonly seed?: number;
  /** Rows done, of all. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Stops between two slices; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

export class HnswIndex implements VectorIndex {
  readonly kind = 'hnsw';
  readonly fallback = null;
  readonly #graph: Graph;
  readonly #exact: ExactIndex;
  /** Rows from this one on are younger than the graph and scanned. */
  readonly #rows: number;
  readonly #count: number;
  /** Share of accepted rows by filter: the same filter comes again and again, and counting takes as long as its rows. */
  readonly #shares = new WeakMap<Uint8Array, number>();

  /** `graph` holds the vectors of the first `rows` rows, those of zeros left out, labelled with their row. */
  constructor(graph: Graph, exact: ExactIndex, rows: number) {
    this.#graph = graph;
    this.#exact = exact;
    this.#rows = rows;
    this.#count = graph.getCurrentCount();
  }

  nearest(query: Float32Array, k: number, accept?: Uint8Array): Ranking {
    return this.#walk(query, k, accept) ?? this.#exact.nearest(query, k, accept);
  }

  /** The same graph over another matrix that begins with the same rows. */
  over(exact: ExactIndex): HnswIndex {
    return new HnswIndex(this.#graph, exact, this.#rows);
  }

  /**
   * Writes the graph to `path` and makes it durable; putting it in place is the caller's part.
   * Throws `INDEX_WRITE` where the medium refuses.
   */
  async save(path: string): Promise<HnswFile> {
    try {
      await this.#graph.writeIndex(path);
    } catch (cause) {
      throw new IndexError('INDEX_WRITE', `The graph ${path} cannot be written.`, { data: { path }, cause });
    }
    return sealed(path);
  }

  /** What the graph finds; null where a scan is the better way, or the only one to answer or refuse. */
  #walk(query: Float32Array, k: number, accept: Uint8Array | undefined): Ranking | null {
    const { rows, dimensions } = this.#exact.matrix;
    const usable =
      query.length === dimensions && query.every(Number.isFinite) && query.some((value) => value !== 0);
    if (!usable || k < 1 || (accept !== undefined && accept.length !== rows)) return null;
    const share = accept === undefined ? 1 : this.#shareOf(accept);
    const fetch = share === 1 ? k : Math.ceil((k / share) * FILTER_MARGIN);
    if (share < FILTER_SHARE || fetch >= this.#count) return null;
    this.#graph.setEf(Math.max(EF_LEAST, EF_SHARE * fetch));
    // Filtered here: inside, a callback would cost more than the walk, and one that throws aborts the process.
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

  /** Share of the graph's rows that are accepted, 0–1. A filter is not written to once it has been used. */
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

/** Builds a graph over all rows of `exact`, in slices that let other work through. */
export async function buildHnsw(
  exact: ExactIndex,
  options: HnswBuildOptions = {},
): Promise<HnswIndex | HnswUnavailable> {
  const library = await hnswlib();
  if ('kind' in library) return library;
  const { matrix } = exact;
  const graph = new library.HierarchicalNSW('ip', matrix.dimensions);
  graph.initIndex(matrix.rows, M, EF_CONSTRUCTION, options.seed ?? 1);
  for (let from = 0; from < matrix.rows; from += SLICE_ROWS) {
    options.signal?.throwIfAborted();
    const to = Math.min(from + SLICE_ROWS, matrix.rows);
    for (let row = from; row < to; row += 1)
      if (matrix.scales[row]! > 0) graph.addPoint(Array.from(matrix.vector(row)), row);
    options.onProgress?.(to, matrix.rows);
    await new Promise(setImmediate);
  }
  return new HnswIndex(graph, exact, matrix.rows);
}

/**
 * Opens a graph over the first rows of `exact`. The file is checked (size, checksum, header, and that it holds just
 * the rows that have a vector) before native code reads it; throws `INDEX_DAMAGED` where it does not belong here.
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
      `The graph ${path} holds ${header.count} vectors of ${header.dimensions} dimensions, the index ${vectors} of ${matrix.dimensions}.`,
      { data: { path, header } },
    );
  // A fresh object each time: loading into one that is in use crashes the process.
  const graph = new library.HierarchicalNSW('ip', matrix.dimensions);
  await graph.readIndex(path);
  return new HnswIndex(graph, exact, header.rows);
}

type Library = typeof import('hnswlib-node') | HnswUnavailable;

let library: Promise<Library> | undefined;

/** Asked for once a process (or thread): a package that is missing is looked for in every folder above. */
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

/** Why there can be no graph on this machine, or null where there can. */
export async function whyNoHnsw(): Promise<string | null> {
  const module = await hnswlib();
  return 'reason' in module ? `${module.reason} Without it every row is scanned.` : null;
}
