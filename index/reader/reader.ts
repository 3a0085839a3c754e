/**
 * A searchable snapshot of the index: one generation, unchanged while newer ones are committed. `generation.ts` opens
 * it and `passages.ts` reads its passages. `src/search` makes a ranking of its scores.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Directory } from '../directory/directory.ts';
import { IndexError } from '../errors.ts';
import { Generation, type OpenSegment, type OpenVectors, type ReaderOptions } from '../generation.ts';
import type { FieldAverages } from '../lexical/postings/bm25f.ts';
import { averagesOf } from '../lexical/postings/bm25f.ts';
import { RestrictedDocuments, RestrictedSearch } from '../lexical/query/restricted.ts';
import { LexicalSearch } from '../lexical/query/search.ts';
import type { IndexManifest } from '../manifest.ts';
import { FINGERPRINT_WORDS, Fingerprints } from '../segment/fingerprint.ts';
import { RestrictedIndex, type VectorIndex } from '../vectors/exact.ts';
import { PassageReader } from './passages.ts';
import { Filters, insertByKey, placeOf, sortByKey } from './sets.ts';

/**
 * Documents up to which a snapshot of several segments, or with dead documents, is searched as if it were built at once. Its
 * stored word weights come from the frequencies and mean lengths of when they were written, so that the same skills would be
 * judged otherwise after changes; computing them for each query costs about a millisecond here (`bench/TRIED.md`).
 */
const WEIGHED_DOCUMENTS = 10_000;

interface DocumentDigest {
  readonly key: string;
  readonly digest: string;
}

/** Whether the stored word weights are those of an index that is built now of the same documents. */
function isBuiltAtOnce({ manifest, segments }: Generation): boolean {
  const [first] = segments;
  if (first === undefined) return true;
  if (segments.length > 1 || manifest.segments.some(({ dead }) => dead.length > 0)) return false;
  return isDeepStrictEqual(averagesOf(first.reader.lengths), manifest.averages);
}

export class Reader {
  readonly passages: PassageReader;
  /** Number of living documents. */
  readonly documents: number;
  /** 1 for each living ordinal. */
  readonly #alive: Uint8Array;
  readonly #filters: Filters;
  readonly #generation: Generation;
  /** True if it is searched as an index of its documents alone (`restrictedTo`). */
  readonly #isRestricted: boolean;
  /** False if another reader closes the files. */
  readonly #ownsFiles: boolean;
  #byKey: Uint32Array | null;
  #lexical: LexicalSearch | null = null;
  /** Of a restricted reader. */
  #documents: RestrictedDocuments | null = null;
  /** Vector search of a restricted reader. */
  #own: RestrictedIndex | null = null;

  /**
   * Opens the current generation; null if there is no index yet. Reuses what it shares with the open snapshot `before`
   * instead of reading it again. Throws `IndexError`.
   */
  static open(directory: Directory, options: ReaderOptions, before: Reader | null = null): Reader | null {
    const generation = Generation.open(directory, options, before === null ? null : before.#generation);
    if (generation === null) return null;
    try {
      const whole = new Reader(generation);
      whole.#byKey = before === null ? null : whole.#orderAfter(before);
      if (generation.manifest.hnsw !== null || whole.documents > WEIGHED_DOCUMENTS) return whole;
      if (isBuiltAtOnce(generation)) return whole;
      return new Reader(generation, generation.alive, whole.ordinalsByKey(), true);
    } catch (error) {
      generation.close();
      throw error;
    }
  }

  /** `order` lists the documents of a restricted reader in key order. */
  private constructor(
    generation: Generation,
    alive = generation.alive,
    order: Uint32Array | null = null,
    ownsFiles = order === null,
  ) {
    this.#generation = generation;
    this.passages = new PassageReader(generation);
    this.#alive = alive;
    this.#isRestricted = order !== null;
    this.#ownsFiles = ownsFiles;
    this.#byKey = order;
    this.#filters = new Filters(this.#generation.segments, alive);
    this.documents = this.#filters.sizeOf(alive);
  }

  /** Lexical search over this snapshot. */
  get lexical(): LexicalSearch {
    this.#lexical ??= this.#isRestricted
      ? new RestrictedSearch(
          this.segments.map(({ reader }) => reader.weighingColumns),
          this.#restrictedDocuments(),
        )
      : new LexicalSearch(
          this.segments.map(({ reader }) => reader.searchColumns),
          this.documents,
        );
    return this.#lexical;
  }

  #restrictedDocuments(): RestrictedDocuments {
    this.#documents ??= new RestrictedDocuments(
      this.#generation.segments.map(({ reader }) => ({
        documents: reader.meta.documents,
        lengths: reader.lengths,
      })),
      this.ordinalsByKey(),
    );
    return this.#documents;
  }

  /** Its segments, in order of their ordinals. */
  get segments(): readonly OpenSegment[] {
    return this.#generation.segments;
  }

  /** True if it is searched as an index of its documents alone. */
  get isRestricted(): boolean {
    return this.#isRestricted;
  }

  get manifest(): IndexManifest {
    return this.#generation.manifest;
  }

  /** Passages of all documents in the generation, dead ones included. */
  get passageCount(): number {
    return this.#generation.passageCount;
  }

  /**
   * The same snapshot as if it contained only the living documents with `accept[ordinal] === 1`. No result depends on
   * the others. Word weights use the frequencies and mean lengths of these documents, exactly as in an index of them
   * alone. Vectors are always scanned, and ties are broken by key. Ordinals, `manifest` and `passageCount` remain those
   * of the whole. It uses the files of the whole and must not outlive it.
   */
  restrictedTo(accept: Uint8Array): Reader {
    if (accept.length !== this.#alive.length)
      throw new IndexError(
        'INDEX_INPUT',
        `A filter for ${this.#alive.length} documents has ${accept.length} entries.`,
      );
    const alive = this.#alive.map((living, ordinal) => (accept[ordinal] === 1 ? living : 0));
    const order = this.ordinalsByKey().filter((ordinal) => alive[ordinal] === 1);
    return new Reader(this.#generation, alive, order);
  }

  /** Mean field lengths for word weights; null if there are no documents. */
  get averages(): FieldAverages | null {
    return this.#isRestricted ? this.#restrictedDocuments().averages : this.manifest.averages;
  }

  /**
   * 1 for each living ordinal with at least one facet of every group. Do not write to it: equal groups get the same
   * array.
   */
  accept(groups: readonly (readonly string[])[]): Uint8Array {
    return this.#filters.accept(groups);
  }

  /** Number of documents in a set that `accept` returned. */
  documentsIn(accept: Uint8Array): number {
    return this.#filters.sizeOf(accept);
  }

  /** Loads and checks the vectors and the index over them. */
  async openVectors(): Promise<VectorIndex> {
    return this.#indexOf(await this.#generation.openVectors());
  }

  /**
   * Reads what a search needs, without waiting for a graph; see `Generation.readVectors`. Enough for `documentVector`.
   */
  readVectors(): void {
    this.#generation.readVectors();
  }

  /** Like `openVectors`, for one search, without waiting for a graph; see `Generation.vectorsForSearch`. */
  async vectorsForSearch(): Promise<VectorIndex> {
    return this.#indexOf(await this.#generation.vectorsForSearch());
  }

  #indexOf({ documents, exact }: OpenVectors): VectorIndex {
    if (!this.#isRestricted) return documents;
    this.#own ??= new RestrictedIndex(exact, this.ordinalsByKey());
    return this.#own;
  }

  /** The document's stored summary vector: `Float32Array[d]`, of about unit length, or zeros. */
  documentVector(ordinal: number): Float32Array {
    return this.#openVectors().exact.matrix.vector(ordinal);
  }

  /** Every facet with its living documents. A facet appears once per segment that has it. */
  *facets(): Generator<{ readonly facet: string; readonly ordinals: readonly number[] }> {
    for (const { reader, base } of this.#generation.segments)
      for (const [facet, members] of reader.facets) {
        const ordinals = members.map((local) => base + local).filter((ordinal) => this.#alive[ordinal] === 1);
        if (ordinals.length > 0) yield { facet, ordinals };
      }
  }

  /** Number of living documents by facet value, for facets with this prefix, in code-unit order. */
  facetCounts(prefix: string): { value: string; documents: number }[] {
    const counts = new Map<string, number>();
    for (const { reader, base } of this.#generation.segments)
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

  key(ordinal: number): string {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    return reader.key(ordinal - base);
  }

  /** Hex SHA-256, as given with the document. */
  digest(ordinal: number): string {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    return reader.digest(ordinal - base);
  }

  payload(ordinal: number): unknown {
    const { reader, base } = this.#generation.segmentOf(ordinal);
    return reader.payload(ordinal - base);
  }

  /** Living documents with this key or alias, in code-unit order of their keys. */
  resolve(alias: string): number[] {
    const found = this.#generation.segments.flatMap(({ reader, base }) =>
      reader
        .resolve(alias)
        .map((local) => base + local)
        .filter((ordinal) => this.#alive[ordinal] === 1),
    );
    return found.length < 2 ? found : found.sort((a, b) => this.compareKeys(a, b));
  }

  /** The living document with this key; null if there is none. */
  ordinalOf(key: string): number | null {
    return this.resolve(key).find((ordinal) => this.key(ordinal) === key) ?? null;
  }

  /** Code-unit order of two documents' keys: negative if the first comes before the second. */
  compareKeys(a: number, b: number): number {
    const [first, second] = [this.key(a), this.key(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  }

  /** Ordinals of the living documents, in code-unit order of their keys. Do not write to it. */
  ordinalsByKey(): Uint32Array {
    this.#byKey ??= sortByKey(this.#living(), (ordinal) => this.key(ordinal));
    return this.#byKey;
  }

  /** Keys of living documents with this prefix, in code-unit order. */
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

  /** Key order derived from the previous snapshot's: only documents in new segments are sorted. */
  #orderAfter(before: Reader): Uint32Array | null {
    if (before.#byKey === null) return null;
    const shifts = new Map<OpenSegment, number>();
    const added: number[] = [];
    for (const { reader, base } of this.#generation.segments) {
      const known = before.#generation.named(reader.name);
      if (known !== null) shifts.set(known, base - known.base);
      else added.push(...this.#living(base, base + reader.meta.documents));
    }
    const kept = new Uint32Array(before.#byKey.length);
    let count = 0;
    for (const ordinal of before.#byKey) {
      const shift = shifts.get(before.#generation.segmentOf(ordinal));
      if (shift === undefined || this.#alive[ordinal + shift] !== 1) continue;
      kept[count] = ordinal + shift;
      count += 1;
    }
    return insertByKey(kept.subarray(0, count), added, (ordinal) => this.key(ordinal));
  }

  /** Key and digest of every living document. */
  *digests(): Generator<DocumentDigest> {
    for (const { reader, base } of this.#generation.segments)
      for (let local = 0; local < reader.meta.documents; local += 1)
        if (this.#alive[base + local] === 1) yield { key: reader.key(local), digest: reader.digest(local) };
  }

  /** Fingerprints of the documents' bodies, in the order of the ordinals. */
  fingerprints(ordinals: Uint32Array): Fingerprints {
    const words = new Uint32Array(ordinals.length * FINGERPRINT_WORDS);
    let last: OpenSegment | null = null;
    let own: Uint32Array = words;
    for (let at = 0; at < ordinals.length; at += 1) {
      const open = this.#generation.segmentOf(ordinals[at]!);
      if (open !== last) own = open.reader.fingerprints;
      last = open;
      const from = (ordinals[at]! - open.base) * FINGERPRINT_WORDS;
      for (let word = 0; word < FINGERPRINT_WORDS; word += 1)
        words[at * FINGERPRINT_WORDS + word] = own[from + word]!;
    }
    return new Fingerprints(words);
  }

  /** Closes the files, except for a reader that `restrictedTo` made, which has none of its own. */
  close(): void {
    if (this.#ownsFiles) this.#generation.close();
  }

  #openVectors(): OpenVectors {
    const { vectors } = this.#generation;
    if (vectors === null) throw new Error('Call openVectors() before searching vectors.');
    return vectors;
  }
}
