/**
 * One open generation of the index: its segments, and the document vectors of all segments in one matrix. It never
 * changes, and its files stay readable while newer generations are committed. `reader/` answers queries from it.
 *
 * Ordinals number the documents of all segments: an ordinal is the number of documents in earlier segments plus the
 * document's local number. Passages are numbered the same way.
 */

import type { Directory } from './directory/directory.ts';
import { IndexError } from './errors.ts';
import { type IndexManifest, readManifest } from './manifest.ts';
import { SegmentReader } from './segment/reader.ts';
import { chooseVectorIndex, type VectorMode } from './vectors/choose.ts';
import { ExactIndex, type VectorIndex } from './vectors/exact.ts';
import { HnswIndex } from './vectors/hnsw.ts';
import { Int8Matrix } from './vectors/matrix.ts';

export interface ReaderOptions {
  /** Id and dimensions with which the index must have been built; null accepts any index, for lexical search only. */
  readonly embedder: { readonly id: string; readonly dimensions: number } | null;
  /** How to search document vectors. Default `auto`. */
  readonly vectors?: VectorMode;
}

export interface OpenSegment {
  readonly reader: SegmentReader;
  /** Ordinal of its first document. */
  readonly base: number;
}

export interface OpenVectors {
  /** Over the documents' summary vectors: `documents` answers searches, `exact` scans them. */
  readonly documents: VectorIndex;
  readonly exact: ExactIndex;
}

export class Generation {
  readonly manifest: IndexManifest;
  readonly segments: readonly OpenSegment[];
  /** 1 for each ordinal that is not dead. */
  readonly alive: Uint8Array;
  readonly #mode: VectorMode;
  readonly #hnswFile: string | null;
  /** The generation whose vectors can be reused; null after that is done. */
  #previous: Generation | null;
  #vectors: OpenVectors | null = null;
  #opening: Promise<OpenVectors> | null = null;
  /** The load in progress of the previous generation, if both share one graph. */
  #pendingGraph: Promise<OpenVectors> | null = null;
  #searches = 0;
  #closed = false;

  /**
   * Opens the current generation; null if there is no index yet. Reuses what it shares with the open generation
   * `before` instead of reading it again. Throws `IndexError`.
   */
  static open(directory: Directory, options: ReaderOptions, before: Generation | null): Generation | null {
    const manifest = readManifest(directory);
    if (manifest === null) return null;
    const wanted = options.embedder;
    if (wanted !== null && wanted.id !== manifest.embedder.id)
      throw new IndexError(
        'INDEX_EMBEDDER',
        `The index was made with the model ${manifest.embedder.id}, not with ${wanted.id}: index again, or use that model.`,
      );
    const segments: OpenSegment[] = [];
    try {
      let base = 0;
      for (const { name } of manifest.segments) {
        const reader = before?.named(name)?.reader.share() ?? new SegmentReader(directory, name);
        segments.push({ reader, base });
        base += reader.meta.documents;
      }
      return new Generation(manifest, segments, directory, options.vectors ?? 'auto', before);
    } catch (error) {
      for (const { reader } of segments) reader.close();
      throw error;
    }
  }

  private constructor(
    manifest: IndexManifest,
    segments: readonly OpenSegment[],
    directory: Directory,
    mode: VectorMode,
    before: Generation | null,
  ) {
    this.manifest = manifest;
    this.segments = segments;
    this.#mode = mode;
    this.#hnswFile = manifest.hnsw === null ? null : directory.pathOf(manifest.hnsw.name);
    this.#previous = before;
    this.alive = new Uint8Array(segments.reduce((sum, { reader }) => sum + reader.meta.documents, 0)).fill(1);
    manifest.segments.forEach(({ dead }, at) => {
      for (const local of dead) this.alive[segments[at]!.base + local] = 0;
    });
  }

  /** Passages of all documents, dead ones included. */
  get passageCount(): number {
    return this.segments.reduce((sum, { reader }) => sum + reader.meta.passages, 0);
  }

  /** The open segment with this name, or null. */
  named(name: string): OpenSegment | null {
    return this.segments.find(({ reader }) => reader.name === name) ?? null;
  }

  /** The segment that contains a document. Throws `RangeError` if there are no segments. */
  segmentOf(ordinal: number): OpenSegment {
    let segment = this.segments.length - 1;
    while (segment > 0 && this.segments[segment]!.base > ordinal) segment -= 1;
    const open = this.segments[segment];
    if (open === undefined) throw new RangeError(`There is no document ${ordinal}.`);
    return open;
  }

  /** The vectors loaded so far; null before. */
  get vectors(): OpenVectors | null {
    return this.#vectors;
  }

  /** Loads and checks the documents' vectors and the index over them. */
  openVectors(): Promise<OpenVectors> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Reads and checks the documents' vectors, so that the next search need not. Does not wait for a graph. */
  readVectors(): void {
    this.#readyVectors();
  }

  /**
   * Vectors for one search, without waiting for a graph: rows are scanned until the graph is loaded. Loading starts
   * with the second search, because it takes as long as a hundred scans and many processes search once. The mode `hnsw`
   * waits for the graph.
   */
  async vectorsForSearch(): Promise<OpenVectors> {
    if (this.#mode === 'hnsw') return this.openVectors();
    this.#searches += 1;
    // The index that replaces a failed graph reports why.
    if (this.#searches === 2) this.openVectors().catch(() => {});
    return this.#readyVectors();
  }

  async #open(): Promise<OpenVectors> {
    const ready = this.#readyVectors();
    if (ready.documents instanceof HnswIndex) return ready;
    const { exact } = ready;
    const graph = (await this.#pendingGraph)?.documents;
    const documents =
      graph instanceof HnswIndex
        ? graph.over(exact)
        : await chooseVectorIndex(exact, this.#mode, this.manifest.hnsw, this.#hnswFile);
    this.#vectors = { documents, exact };
    this.#pendingGraph = null;
    return this.#vectors;
  }

  /** The vectors that are ready without waiting. */
  #readyVectors(): OpenVectors {
    if (this.#vectors === null) {
      const exact = new ExactIndex(this.#documentMatrix());
      const before = this.#previousWithSameGraph();
      const graph = before?.vectors?.documents;
      if (graph instanceof HnswIndex) this.#vectors = { documents: graph.over(exact), exact };
      else {
        this.#vectors = { documents: exact, exact };
        this.#pendingGraph = before === null ? null : (before.#opening ?? before.#pendingGraph);
      }
      this.#previous = null;
    }
    return this.#vectors;
  }

  /** Closes the files. */
  close(): void {
    if (this.#closed) return;
    // Only once: other generations may share the segments.
    this.#closed = true;
    for (const { reader } of this.segments) reader.close();
  }

  /** Summary vectors of all segments in one matrix. Continues the previous generation's matrix, or reads and copies. */
  #documentMatrix(): Int8Matrix {
    const section = 'vectors.documents';
    const before = this.#previous;
    const matrix = before === null || before.#vectors === null ? null : before.#vectors.exact.matrix;
    const rows = this.alive.length;
    const isLonger = before !== null && this.#startsWith(before);
    const continued = isLonger ? (matrix?.continued(rows) ?? null) : null;
    const target =
      continued ?? Int8Matrix.allocate(rows, this.manifest.embedder.dimensions, { spare: matrix !== null });
    for (const { reader, base } of this.segments) {
      const count = reader.meta.documents;
      const known = before === null ? null : before.named(reader.name);
      if (known === null || matrix === null) {
        target.fill(base, count, (values) => reader.sections.readInto(section, values));
        target.scales.set(reader.sections.float32(`${section}.scales`), base);
      } else if (continued === null) target.copy(base, count, matrix, known.base);
    }
    return target;
  }

  /** Whether this generation starts with the segments of `other`. */
  #startsWith(other: Generation): boolean {
    return other.segments.every(({ reader }, at) => this.segments[at]?.reader.name === reader.name);
  }

  /** The previous generation if it has the same graph, which takes a second to load. */
  #previousWithSameGraph(): Generation | null {
    const before = this.#previous;
    if (before === null || before.#vectors === null || this.manifest.hnsw === null) return null;
    return before.manifest.hnsw?.name === this.manifest.hnsw.name ? before : null;
  }
}
