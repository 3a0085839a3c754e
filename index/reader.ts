/**
 * One generation of the index, open for searching. It never changes: a reader keeps its snapshot, on files that
 * stay readable, while newer generations land. What the scores are made into is `src/search`'s affair.
 *
 * Documents and passages of all segments are numbered through: a document's ordinal is the number of documents
 * in earlier segments plus its local number, and the same for passages.
 */

import type { Directory } from './directory/directory.ts';
import { IndexError } from './errors.ts';
import type { FieldAverages } from './lexical/bm25f.ts';
import { type PassageMatch, passageMatches } from './lexical/forward.ts';
import { RestrictedSearch } from './lexical/restricted.ts';
import { type LexicalQuery, LexicalSearch } from './lexical/search.ts';
import { type IndexManifest, readManifest } from './manifest.ts';
import { insertByKey, placeOf, sortByKey } from './order.ts';
import { PASSAGE_KINDS, type Passage, type PassageKind } from './passage.ts';
import { documentVector } from './segment/document-vector.ts';
import { SegmentReader } from './segment/reader.ts';
import { chooseVectorIndex, type VectorMode } from './vectors/choose.ts';
import { ExactIndex, type VectorIndex } from './vectors/exact.ts';
import { HnswIndex } from './vectors/hnsw.ts';
import { Int8Matrix } from './vectors/matrix.ts';
import { RestrictedIndex } from './vectors/restricted.ts';

export interface ReaderOptions {
  /** Id and dimensions that the index must have been made with; null reads any (words alone are searched). */
  readonly embedder: { readonly id: string; readonly dimensions: number } | null;
  /** How document vectors are searched. Default `auto`. */
  readonly vectors?: VectorMode;
}

/** One document of the snapshot by its own name. */
export interface DocumentDigest {
  readonly key: string;
  readonly digest: string;
}

interface OpenSegment {
  readonly reader: SegmentReader;
  /** Ordinal of its first document. */
  readonly base: number;
}

interface OpenVectors {
  /** Over the documents' summary vectors: as they are searched, and as they are scanned. */
  readonly documents: VectorIndex;
  readonly exact: ExactIndex;
}

/** What a reader is made of. */
interface Snapshot {
  readonly manifest: IndexManifest;
  readonly mode: VectorMode;
  readonly hnswFile: string | null;
  readonly segments: readonly OpenSegment[];
  readonly passages: number;
  /** 1 for each ordinal that can be found. */
  readonly alive: Uint8Array;
  readonly lexical: (documents: number) => LexicalSearch;
}

export class Reader {
  readonly manifest: IndexManifest;
  /** Lexical side of the snapshot. */
  readonly lexical: LexicalSearch;
  /** Documents that can be found. */
  readonly documents: number;
  readonly passages: number;
  /** The reader of the whole generation, where this one is restricted. */
  readonly #whole: Reader | null;
  readonly #segments: readonly OpenSegment[];
  readonly #alive: Uint8Array;
  readonly #hnswFile: string | null;
  readonly #mode: VectorMode;
  /** Whose vectors may be taken over; forgotten once that has been done. */
  #before: Reader | null = null;
  #byKey: Uint32Array | null = null;
  #closed = false;
  #vectors: OpenVectors | null = null;

  /**
   * Opens the generation in force; null where there is no index yet. What it has in common with the open generation
   * `before` is taken over from there, and not read again. Throws `IndexError`.
   */
  static open(directory: Directory, options: ReaderOptions, before: Reader | null = null): Reader | null {
    const manifest = readManifest(directory);
    if (manifest === null) return null;
    const wanted = options.embedder;
    if (wanted !== null && wanted.id !== manifest.embedder.id)
      throw new IndexError(
        'INDEX_EMBEDDER',
        `The index was made with the model ${manifest.embedder.id}, not with ${wanted.id}: index again, or choose that model.`,
        { data: { found: manifest.embedder.id, wanted: wanted.id } },
      );
    const mode = options.vectors ?? 'auto';
    const hnswFile = manifest.hnsw === null ? null : directory.pathOf(manifest.hnsw.name);
    const segments: OpenSegment[] = [];
    try {
      let base = 0;
      for (const { name } of manifest.segments) {
        const known = before === null ? null : before.#named(name);
        const reader = known === null ? new SegmentReader(directory, name) : known.reader.share();
        segments.push({ reader, base });
        base += reader.meta.documents;
      }
      const alive = new Uint8Array(base).fill(1);
      manifest.segments.forEach(({ dead }, at) => {
        for (const local of dead) alive[segments[at]!.base + local] = 0;
      });
      const lexical = (documents: number) =>
        new LexicalSearch(
          segments.map(({ reader }) => reader.searchColumns),
          documents,
        );
      const passages = segments.reduce((sum, { reader }) => sum + reader.meta.passages, 0);
      const reader = new Reader({ manifest, mode, hnswFile, segments, passages, alive, lexical });
      reader.#before = before;
      reader.#byKey = before === null ? null : reader.#orderAfter(before);
      return reader;
    } catch (error) {
      for (const { reader } of segments) reader.close();
      throw error;
    }
  }

  private constructor(snapshot: Snapshot, whole: Reader | null = null) {
    this.#whole = whole;
    this.manifest = snapshot.manifest;
    this.#mode = snapshot.mode;
    this.#hnswFile = snapshot.hnswFile;
    this.#segments = snapshot.segments;
    this.passages = snapshot.passages;
    this.#alive = snapshot.alive;
    this.documents = this.#alive.reduce((sum, alive) => sum + alive, 0);
    this.lexical = snapshot.lexical(this.documents);
  }

  /**
   * The same snapshot as if it held no other documents than the living ones with `accept[ordinal] === 1`. Nothing that
   * it answers depends on the others: words are weighed by its own documents' frequencies and mean lengths, exactly as
   * in an index made of these documents alone; vectors are scanned, never walked; ties are broken by key. Only ordinals,
   * `manifest` and `passages` are those of the whole. It reads the whole's files and ends with it.
   */
  restrictedTo(accept: Uint8Array): Reader {
    const whole = this.#whole ?? this;
    if (accept.length !== this.#alive.length)
      throw new IndexError(
        'INDEX_INPUT',
        `A filter for ${this.#alive.length} documents has ${accept.length} entries.`,
      );
    const alive = this.#alive.map((living, ordinal) => (accept[ordinal] === 1 ? living : 0));
    const order = this.ordinalsByKey().filter((ordinal) => alive[ordinal] === 1);
    const restricted = new Reader(
      {
        manifest: this.manifest,
        mode: 'exact',
        hnswFile: null,
        segments: this.#segments,
        passages: this.passages,
        alive,
        lexical: () =>
          new RestrictedSearch(
            this.#segments.map(({ reader }) => reader.weighingColumns),
            order,
          ),
      },
      whole,
    );
    restricted.#byKey = order;
    return restricted;
  }

  /** Mean field lengths by which this snapshot's words are weighed; null where it has no documents. */
  get averages(): FieldAverages | null {
    return this.lexical instanceof RestrictedSearch ? this.lexical.averages : this.manifest.averages;
  }

  /** 1 for each ordinal that is alive and has, of every group, at least one facet. */
  accept(groups: readonly (readonly string[])[]): Uint8Array {
    if (groups.length === 0) return this.#alive;
    let accepted = this.#alive;
    for (const group of groups) {
      const next = new Uint8Array(accepted.length);
      for (const { reader, base } of this.#segments)
        for (const facet of group)
          for (const local of reader.facets.get(facet) ?? []) next[base + local] = accepted[base + local]!;
      accepted = next;
    }
    return accepted;
  }

  /** Loads what the vectors need, checked. Searching without it searches words alone. */
  async openVectors(): Promise<VectorIndex> {
    if (this.#vectors !== null) return this.#vectors.documents;
    if (this.#whole !== null) {
      await this.#whole.openVectors();
      const { exact } = this.#whole.#openVectors();
      const documents = new RestrictedIndex(exact, this.ordinalsByKey());
      this.#vectors = { documents, exact };
      return documents;
    }
    const exact = new ExactIndex(this.#documentMatrix());
    const known = this.#sameGraph();
    const documents =
      known === null
        ? await chooseVectorIndex(exact, this.#mode, this.manifest.hnsw, this.#hnswFile)
        : known.over(exact);
    this.#before = null;
    this.#vectors = { documents, exact };
    return documents;
  }

  /** Cosine of the query with the document's summary vector, for each ordinal. */
  documentCosines(query: Float32Array, ordinals: Uint32Array): Float32Array {
    const out = new Float32Array(ordinals.length);
    this.#openVectors().exact.dotsAt(query, ordinals, out);
    return out;
  }

  /** The document's summary vector: `Float32Array[d]`, of about unit length, or zeros. */
  documentVector(ordinal: number): Float32Array {
    return this.#openVectors().exact.matrix.vector(ordinal);
  }

  /** The card's vector, as it is stored: `Float32Array[d]`, of about unit length, or zeros. */
  cardVector(ordinal: number): Float32Array {
    return this.#passageVectors(ordinal, 1);
  }

  /** The summary vector that the document would have with another card (`Float32Array[d]`, unit length). */
  summaryWith(card: Float32Array, ordinal: number): Float32Array {
    const kinds = this.passageKinds(ordinal);
    const vectors = this.#passageVectors(ordinal, kinds.length);
    vectors.set(card);
    return documentVector(
      vectors,
      kinds.map((kind) => ({ kind })),
      card.length,
    );
  }

  /** Cosine of the query with each passage of the document, in their order: `Float32Array[passages]`. */
  passageCosines(query: Float32Array, ordinal: number): Float32Array {
    const { reader, base } = this.#segmentOf(ordinal);
    const from = reader.passageStart[ordinal - base]!;
    const to = reader.passageStart[ordinal - base + 1]!;
    const cosines = new Float32Array(to - from);
    reader.passageVectors.dots(query, from, to, cosines);
    return cosines;
  }

  /** For each document, the cosine of its card and the highest of its body passages (the card's where it has none). */
  cardAndBestCosines(query: Float32Array, ordinals: Uint32Array): { card: Float32Array; best: Float32Array } {
    const card = new Float32Array(ordinals.length);
    const best = new Float32Array(ordinals.length);
    // In runs of one segment: ordinals mostly come in order.
    for (let from = 0; from < ordinals.length; ) {
      const { reader, base } = this.#segmentOf(ordinals[from]!);
      const last = base + reader.meta.documents;
      let to = from + 1;
      while (to < ordinals.length && ordinals[to]! >= base && ordinals[to]! < last) to += 1;
      const documents = ordinals.subarray(from, to).map((ordinal) => ordinal - base);
      const { passageVectors } = reader;
      passageVectors.cardAndBest(query, documents, reader, card.subarray(from, to), best.subarray(from, to));
      from = to;
    }
    return { card, best };
  }

  passageKinds(ordinal: number): PassageKind[] {
    const { reader, base } = this.#segmentOf(ordinal);
    const { kinds, passageStart } = reader;
    const own = kinds.subarray(passageStart[ordinal - base]!, passageStart[ordinal - base + 1]!);
    return Array.from(own, (kind) => PASSAGE_KINDS[kind]!);
  }

  /** How many passages of the document come from its reference files. */
  referencePassages(ordinal: number): number {
    return this.passageKinds(ordinal).filter((kind) => kind === 'reference').length;
  }

  /** Every facet with its living documents; one comes as often as segments hold it. */
  *facets(): Generator<{ readonly facet: string; readonly ordinals: readonly number[] }> {
    for (const { reader, base } of this.#segments)
      for (const [facet, members] of reader.facets) {
        const ordinals = members.map((local) => base + local).filter((ordinal) => this.#alive[ordinal] === 1);
        if (ordinals.length > 0) yield { facet, ordinals };
      }
  }

  /** Living documents of each facet that begins with `prefix`, by value, in code-unit order. */
  facetCounts(prefix: string): { value: string; documents: number }[] {
    const counts = new Map<string, number>();
    for (const { reader, base } of this.#segments)
      for (const [facet, members] of reader.facets) {
        if (!facet.startsWith(prefix)) continue;
        const alive = members.filter((local) => this.#alive[base + local] === 1).length;
        const value = facet.slice(prefix.length);
        counts.set(value, (counts.get(value) ?? 0) + alive);
      }
    return [...counts]
      .filter(([, documents]) => documents > 0)
      .map(([value, documents]) => ({ value, documents }))
      .sort((a, b) => (a.value < b.value ? -1 : 1));
  }

  /** What of the query's words each passage of the document holds. One read of the disk. */
  passageMatches(query: LexicalQuery, ordinal: number): PassageMatch[] {
    const open = this.#segmentOf(ordinal);
    const segment = this.#segments.indexOf(open);
    return open.reader.forward(ordinal - open.base).map((record) => passageMatches(query, segment, record));
  }

  /** One passage of a document, by its place among the document's passages. */
  passage(ordinal: number, at: number): Passage {
    const { reader, base } = this.#segmentOf(ordinal);
    return reader.passage(reader.passageStart[ordinal - base]! + at);
  }

  /** The last heading of each body passage, in order, without repeats. */
  headings(ordinal: number): string[] {
    const kinds = this.passageKinds(ordinal);
    const found = kinds.flatMap((kind, at) =>
      kind === 'body' ? (this.passage(ordinal, at).heading.at(-1) ?? []) : [],
    );
    return [...new Set(found)];
  }

  key(ordinal: number): string {
    const { reader, base } = this.#segmentOf(ordinal);
    return reader.key(ordinal - base);
  }

  /** Hex SHA-256, as it was given with the document. */
  digest(ordinal: number): string {
    const { reader, base } = this.#segmentOf(ordinal);
    return reader.digest(ordinal - base);
  }

  payload(ordinal: number): unknown {
    const { reader, base } = this.#segmentOf(ordinal);
    return reader.payload(ordinal - base);
  }

  /** Living documents with that key or alias, in code-unit order of their keys. */
  resolve(alias: string): number[] {
    const found = this.#segments.flatMap(({ reader, base }) =>
      reader
        .resolve(alias)
        .map((local) => base + local)
        .filter((ordinal) => this.#alive[ordinal] === 1),
    );
    return found.length < 2 ? found : found.sort((a, b) => this.compareKeys(a, b));
  }

  /** Code-unit order of two documents' keys: negative where the first comes before the second. */
  compareKeys(a: number, b: number): number {
    const [first, second] = [this.key(a), this.key(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  }

  /** Ordinals of the living documents, in code-unit order of their keys. Not to be written to. */
  ordinalsByKey(): Uint32Array {
    this.#byKey ??= sortByKey(this.#living(), (ordinal) => this.key(ordinal));
    return this.#byKey;
  }

  /** Keys of living documents that begin with `prefix`, in code-unit order. */
  keysBelow(prefix: string): string[] {
    const ordinals = this.ordinalsByKey();
    const keys: string[] = [];
    for (let at = placeOf(ordinals, prefix, (ordinal) => this.key(ordinal)); at < ordinals.length; at += 1) {
      const key = this.key(ordinals[at]!);
      if (!key.startsWith(prefix)) break;
      keys.push(key);
    }
    return keys;
  }

  *#living(from = 0, to = this.#alive.length): Generator<number> {
    for (let ordinal = from; ordinal < to; ordinal += 1) if (this.#alive[ordinal] === 1) yield ordinal;
  }

  /** The order of keys, taken over from the generation before but for what is in segments of this one alone. */
  #orderAfter(before: Reader): Uint32Array | null {
    if (before.#byKey === null) return null;
    const shifts = new Map<OpenSegment, number>();
    const added: number[] = [];
    for (const { reader, base } of this.#segments) {
      const known = before.#named(reader.name);
      if (known !== null) shifts.set(known, base - known.base);
      else added.push(...this.#living(base, base + reader.meta.documents));
    }
    const kept = new Uint32Array(before.#byKey.length);
    let count = 0;
    for (const ordinal of before.#byKey) {
      const shift = shifts.get(before.#segmentOf(ordinal));
      if (shift === undefined || this.#alive[ordinal + shift] !== 1) continue;
      kept[count] = ordinal + shift;
      count += 1;
    }
    return insertByKey(kept.subarray(0, count), added, (ordinal) => this.key(ordinal));
  }

  /** Key and digest of every living document: what a plan of changes starts from. */
  *digests(): Generator<DocumentDigest> {
    for (const { reader, base } of this.#segments)
      for (let local = 0; local < reader.meta.documents; local += 1)
        if (this.#alive[base + local] === 1) yield { key: reader.key(local), digest: reader.digest(local) };
  }

  /** Signature of the document's body, for `isSimilar`. */
  fingerprint(ordinal: number): Uint8Array {
    const { reader, base } = this.#segmentOf(ordinal);
    return reader.fingerprint(ordinal - base);
  }

  /** Lets go of the files. A restricted reader has none of its own. */
  close(): void {
    if (this.#whole !== null || this.#closed) return;
    // Once: the segments may be another generation's too.
    this.#closed = true;
    for (const { reader } of this.#segments) reader.close();
  }

  #openVectors() {
    if (this.#vectors === null) throw new Error('openVectors() comes before vectors are searched.');
    return this.#vectors;
  }

  /** Vectors of the document's first passages, row-major. */
  #passageVectors(ordinal: number, count: number): Float32Array {
    const { reader, base } = this.#segmentOf(ordinal);
    return reader.passageVectors.rows(reader.passageStart[ordinal - base]!, count);
  }

  /** Summary vectors of all segments in one matrix: that of the generation before continued, or read and copied. */
  #documentMatrix(): Int8Matrix {
    const section = 'vectors.documents';
    const before = this.#before;
    const matrix = before === null || before.#vectors === null ? null : before.#vectors.exact.matrix;
    const rows = this.#alive.length;
    const isLonger = before !== null && this.#beginsLike(before);
    const continued = isLonger ? (matrix?.continued(rows) ?? null) : null;
    const target =
      continued ?? Int8Matrix.allocate(rows, this.manifest.embedder.dimensions, { spare: matrix !== null });
    for (const { reader, base } of this.#segments) {
      const count = reader.meta.documents;
      const known = before === null ? null : before.#named(reader.name);
      if (known === null || matrix === null) {
        target.fill(base, count, (values) => reader.sections.readInto(section, values));
        target.scales.set(reader.sections.float32(`${section}.scales`), base);
      } else if (continued === null) target.copy(base, count, matrix, known.base);
    }
    return target;
  }

  /** Whether the segments of `other` are the first of this generation's. */
  #beginsLike(other: Reader): boolean {
    return other.#segments.every(({ reader }, at) => this.#segments[at]?.reader.name === reader.name);
  }

  /** The graph of the generation before, where it is this one's too: loading it again would take a second. */
  #sameGraph(): HnswIndex | null {
    const before = this.#before;
    if (before === null || before.#vectors === null || this.manifest.hnsw === null) return null;
    const { documents } = before.#vectors;
    const same = before.manifest.hnsw?.name === this.manifest.hnsw.name;
    return same && documents instanceof HnswIndex ? documents : null;
  }

  /** The open segment of that name; null where this snapshot has none. */
  #named(name: string): OpenSegment | null {
    return this.#segments.find(({ reader }) => reader.name === name) ?? null;
  }

  #segmentOf(ordinal: number): OpenSegment {
    let segment = this.#segments.length - 1;
    while (segment > 0 && this.#segments[segment]!.base > ordinal) segment -= 1;
    const open = this.#segments[segment];
    if (open === undefined) throw new RangeError(`There is no document ${ordinal}.`);
    return open;
  }
}
