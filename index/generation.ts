/**
 * One generation of the index, open: its segments side by side, and the vectors of all of them in one matrix. It never
 * changes, on files that stay readable while newer generations land. What is asked of it is `reader.ts`'s affair.
 *
 * Documents and passages of all segments are numbered through: a document's ordinal is the number of documents
 * in earlier segments plus its local number, and the same for passages.
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
  /** Id and dimensions that the index must have been made with; null reads any (words alone are searched). */
  readonly embedder: { readonly id: string; readonly dimensions: number } | null;
  /** How document vectors are searched. Default `auto`. */
  readonly vectors?: VectorMode;
}

export interface OpenSegment {
  readonly reader: SegmentReader;
  /** Ordinal of its first document. */
  readonly base: number;
}

export interface OpenVectors {
  /** Over the documents' summary vectors: as they are searched, and as they are scanned. */
  readonly documents: VectorIndex;
  readonly exact: ExactIndex;
}

export class Generation {
  readonly manifest: IndexManifest;
  readonly segments: readonly OpenSegment[];
  /** 1 for each ordinal that can be found. */
  readonly alive: Uint8Array;
  readonly #mode: VectorMode;
  readonly #hnswFile: string | null;
  /** Whose vectors may be taken over; forgotten once that has been done. */
  #before: Generation | null;
  #vectors: OpenVectors | null = null;
  #opening: Promise<OpenVectors> | null = null;
  /** What the generation before is loading, where its graph is this one's too. */
  #coming: Promise<OpenVectors> | null = null;
  #searches = 0;
  #closed = false;

  /**
   * Opens the generation in force; null where there is no index yet. What it has in common with the open generation
   * `before` is taken over from there, and not read again. Throws `IndexError`.
   */
  static open(directory: Directory, options: ReaderOptions, before: Generation | null): Generation | null {
    const manifest = readManifest(directory);
    if (manifest === null) return null;
    const wanted = options.embedder;
    if (wanted !== null && wanted.id !== manifest.embedder.id)
      throw new IndexError(
        'INDEX_EMBEDDER',
        `The index was made with the model ${manifest.embedder.id}, not with ${wanted.id}: index again, or choose that model.`,
        { data: { found: manifest.embedder.id, wanted: wanted.id } },
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
    this.#before = before;
    this.alive = new Uint8Array(segments.reduce((sum, { reader }) => sum + reader.meta.documents, 0)).fill(1);
    manifest.segments.forEach(({ dead }, at) => {
      for (const local of dead) this.alive[segments[at]!.base + local] = 0;
    });
  }

  /** Passages of all documents, dead ones included. */
  get passages(): number {
    return this.segments.reduce((sum, { reader }) => sum + reader.meta.passages, 0);
  }

  /** The open segment of that name; null where this generation has none. */
  named(name: string): OpenSegment | null {
    return this.segments.find(({ reader }) => reader.name === name) ?? null;
  }

  /** The segment in which a document lies. Throws `RangeError` where there are no segments. */
  segmentOf(ordinal: number): OpenSegment {
    let segment = this.segments.length - 1;
    while (segment > 0 && this.segments[segment]!.base > ordinal) segment -= 1;
    const open = this.segments[segment];
    if (open === undefined) throw new RangeError(`There is no document ${ordinal}.`);
    return open;
  }

  /** What has been loaded of the vectors; null before. */
  get vectors(): OpenVectors | null {
    return this.#vectors;
  }

  /** Loads the documents' vectors, checked, and what they are searched with. */
  openVectors(): Promise<OpenVectors> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Reads the documents' vectors, checked, so that a search waits for nothing; a graph is loaded beside searches. */
  readVectors(): void {
    this.#atHand();
  }

  /**
   * Vectors for one search, soon: unless the graph is asked for, rows are scanned until it has been loaded, and that
   * begins with the second search. Loading takes as long as a hundred scans, and many a process searches once.
   */
  async vectorsForSearch(): Promise<OpenVectors> {
    if (this.#mode === 'hnsw') return this.openVectors();
    this.#searches += 1;
    // What goes wrong with a graph is told by the index that answers in its place.
    if (this.#searches === 2) this.openVectors().catch(() => {});
    return this.#atHand();
  }

  async #open(): Promise<OpenVectors> {
    const atHand = this.#atHand();
    if (atHand.documents instanceof HnswIndex) return atHand;
    const { exact } = atHand;
    const graph = (await this.#coming)?.documents;
    const documents =
      graph instanceof HnswIndex
        ? graph.over(exact)
        : await chooseVectorIndex(exact, this.#mode, this.manifest.hnsw, this.#hnswFile);
    this.#vectors = { documents, exact };
    this.#coming = null;
    return this.#vectors;
  }

  /** What can be searched without waiting. */
  #atHand(): OpenVectors {
    if (this.#vectors === null) {
      const exact = new ExactIndex(this.#documentMatrix());
      const before = this.#withSameGraph();
      const graph = before?.vectors?.documents;
      if (graph instanceof HnswIndex) this.#vectors = { documents: graph.over(exact), exact };
      else {
        this.#vectors = { documents: exact, exact };
        this.#coming = before === null ? null : (before.#opening ?? before.#coming);
      }
      this.#before = null;
    }
    return this.#vectors;
  }

  /** Lets go of the files. */
  close(): void {
    if (this.#closed) return;
    // Once: the segments may be another generation's too.
    this.#closed = true;
    for (const { reader } of this.segments) reader.close();
  }

  /** Summary vectors of all segments in one matrix: that of the generation before continued, or read and copied. */
  #documentMatrix(): Int8Matrix {
    const section = 'vectors.documents';
    const before = this.#before;
    const matrix = before === null || before.#vectors === null ? null : before.#vectors.exact.matrix;
    const rows = this.alive.length;
    const isLonger = before !== null && this.#beginsLike(before);
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

  /** Whether the segments of `other` are the first of this generation's. */
  #beginsLike(other: Generation): boolean {
    return other.segments.every(({ reader }, at) => this.segments[at]?.reader.name === reader.name);
  }

  /** The generation before, where its graph is this one's too: loading it again would take a second. */
  #withSameGraph(): Generation | null {
    const before = this.#before;
    if (before === null || before.#vectors === null || this.manifest.hnsw === null) return null;
    return before.manifest.hnsw?.name === this.manifest.hnsw.name ? before : null;
  }
}
