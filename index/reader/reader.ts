/**
 * One generation of the index, as it is searched: a snapshot that a reader keeps while newer ones land. How it is
 * opened is `generation.ts`'s affair, what its documents' passages tell `passage-reader.ts`'s, what the scores are made
 * into `src/search`'s.
 */

import type { Directory } from '../directory/directory.ts';
import { IndexError } from '../errors.ts';
import { Generation, type OpenSegment, type OpenVectors, type ReaderOptions } from '../generation.ts';
import type { FieldAverages } from '../lexical/postings/bm25f.ts';
import { RestrictedSearch } from '../lexical/query/restricted.ts';
import { LexicalSearch } from '../lexical/query/search.ts';
import type { IndexManifest } from '../manifest.ts';
import { FINGERPRINT_WORDS, Fingerprints } from '../segment/fingerprint.ts';
import type { VectorIndex } from '../vectors/exact.ts';
import { RestrictedIndex } from '../vectors/restricted.ts';
import { Filters } from './filters.ts';
import { insertByKey, placeOf, sortByKey } from './key-order.ts';
import { PassageReader } from './passages.ts';

export type { ReaderOptions } from '../generation.ts';

/** One document of the snapshot by its own name. */
export interface DocumentDigest {
  readonly key: string;
  readonly digest: string;
}

export class Reader extends PassageReader {
  /** Lexical side of the snapshot. */
  readonly lexical: LexicalSearch;
  /** Documents that can be found. */
  readonly documents: number;
  /** 1 for each ordinal that can be found. */
  readonly #alive: Uint8Array;
  readonly #filters: Filters;
  /** True where it answers from some of the generation's documents, whose files are another reader's to close. */
  readonly #isRestricted: boolean;
  #byKey: Uint32Array | null;
  /** Of a restricted reader: the scan of its documents. */
  #own: RestrictedIndex | null = null;

  /**
   * Opens the generation in force; null where there is no index yet. What it has in common with the open snapshot
   * `before` is taken over from there, and not read again. Throws `IndexError`.
   */
  static open(directory: Directory, options: ReaderOptions, before: Reader | null = null): Reader | null {
    const generation = Generation.open(directory, options, before === null ? null : before.generation);
    if (generation === null) return null;
    try {
      const reader = new Reader(generation);
      reader.#byKey = before === null ? null : reader.#orderAfter(before);
      return reader;
    } catch (error) {
      generation.close();
      throw error;
    }
  }

  /** `order` lists the documents of a restricted reader by their keys. */
  private constructor(generation: Generation, alive = generation.alive, order: Uint32Array | null = null) {
    super(generation);
    this.#alive = alive;
    this.#isRestricted = order !== null;
    this.#byKey = order;
    this.#filters = new Filters(this.segments, alive);
    this.documents = this.#filters.sizeOf(alive);
    const readers = this.segments.map(({ reader }) => reader);
    this.lexical =
      order === null
        ? new LexicalSearch(
            readers.map(({ searchColumns }) => searchColumns),
            this.documents,
          )
        : new RestrictedSearch(
            readers.map(({ weighingColumns }) => weighingColumns),
            order,
          );
  }

  get manifest(): IndexManifest {
    return this.generation.manifest;
  }

  /** Passages of all documents of the generation. */
  get passages(): number {
    return this.generation.passages;
  }

  /**
   * The same snapshot as if it held no other documents than the living ones with `accept[ordinal] === 1`. Nothing that
   * it answers depends on the others: words are weighed by its own documents' frequencies and mean lengths, exactly as
   * in an index made of these documents alone; vectors are scanned, never walked; ties are broken by key. Only ordinals,
   * `manifest` and `passages` are those of the whole. It reads the whole's files and ends with it.
   */
  restrictedTo(accept: Uint8Array): Reader {
    if (accept.length !== this.#alive.length)
      throw new IndexError(
        'INDEX_INPUT',
        `A filter for ${this.#alive.length} documents has ${accept.length} entries.`,
      );
    const alive = this.#alive.map((living, ordinal) => (accept[ordinal] === 1 ? living : 0));
    const order = this.ordinalsByKey().filter((ordinal) => alive[ordinal] === 1);
    return new Reader(this.generation, alive, order);
  }

  /** Mean field lengths by which this snapshot's words are weighed; null where it has no documents. */
  get averages(): FieldAverages | null {
    return this.lexical instanceof RestrictedSearch ? this.lexical.averages : this.manifest.averages;
  }

  /**
   * 1 for each ordinal that is alive and has, of every group, at least one facet. Not to be written to: the same groups
   * are given the same array.
   */
  accept(groups: readonly (readonly string[])[]): Uint8Array {
    return this.#filters.accept(groups);
  }

  /** Documents of a set that `accept` gave. */
  documentsIn(accept: Uint8Array): number {
    return this.#filters.sizeOf(accept);
  }

  /** Loads what the vectors need, checked. */
  async openVectors(): Promise<VectorIndex> {
    return this.#indexOf(await this.generation.openVectors());
  }

  /** Reads what a search takes at once; see `Generation.readVectors`. Enough for `documentCosines` and `documentVector`. */
  readVectors(): void {
    this.generation.readVectors();
  }

  /** What `openVectors` gives, for one search, which does not wait for a graph to be loaded; see `Generation.vectorsForSearch`. */
  async vectorsForSearch(): Promise<VectorIndex> {
    return this.#indexOf(await this.generation.vectorsForSearch());
  }

  #indexOf({ documents, exact }: OpenVectors): VectorIndex {
    if (!this.#isRestricted) return documents;
    this.#own ??= new RestrictedIndex(exact, this.ordinalsByKey());
    return this.#own;
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

  /** Every facet with its living documents; one comes as often as segments hold it. */
  *facets(): Generator<{ readonly facet: string; readonly ordinals: readonly number[] }> {
    for (const { reader, base } of this.segments)
      for (const [facet, members] of reader.facets) {
        const ordinals = members.map((local) => base + local).filter((ordinal) => this.#alive[ordinal] === 1);
        if (ordinals.length > 0) yield { facet, ordinals };
      }
  }

  /** Living documents of each facet that begins with `prefix`, by value, in code-unit order. */
  facetCounts(prefix: string): { value: string; documents: number }[] {
    const counts = new Map<string, number>();
    for (const { reader, base } of this.segments)
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
    const { reader, base } = this.segmentOf(ordinal);
    return reader.key(ordinal - base);
  }

  /** Hex SHA-256, as it was given with the document. */
  digest(ordinal: number): string {
    const { reader, base } = this.segmentOf(ordinal);
    return reader.digest(ordinal - base);
  }

  payload(ordinal: number): unknown {
    const { reader, base } = this.segmentOf(ordinal);
    return reader.payload(ordinal - base);
  }

  /** Living documents with that key or alias, in code-unit order of their keys. */
  resolve(alias: string): number[] {
    const found = this.segments.flatMap(({ reader, base }) =>
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
    for (const { reader, base } of this.segments) {
      const known = before.generation.named(reader.name);
      if (known !== null) shifts.set(known, base - known.base);
      else added.push(...this.#living(base, base + reader.meta.documents));
    }
    const kept = new Uint32Array(before.#byKey.length);
    let count = 0;
    for (const ordinal of before.#byKey) {
      const shift = shifts.get(before.segmentOf(ordinal));
      if (shift === undefined || this.#alive[ordinal + shift] !== 1) continue;
      kept[count] = ordinal + shift;
      count += 1;
    }
    return insertByKey(kept.subarray(0, count), added, (ordinal) => this.key(ordinal));
  }

  /** Key and digest of every living document: what a plan of changes starts from. */
  *digests(): Generator<DocumentDigest> {
    for (const { reader, base } of this.segments)
      for (let local = 0; local < reader.meta.documents; local += 1)
        if (this.#alive[base + local] === 1) yield { key: reader.key(local), digest: reader.digest(local) };
  }

  /** Signatures of the documents' bodies, in the order of the ordinals. */
  fingerprints(ordinals: Uint32Array): Fingerprints {
    const words = new Uint32Array(ordinals.length * FINGERPRINT_WORDS);
    let last: OpenSegment | null = null;
    let own: Uint32Array = words;
    for (let at = 0; at < ordinals.length; at += 1) {
      const open = this.segmentOf(ordinals[at]!);
      if (open !== last) own = open.reader.fingerprints;
      last = open;
      const from = (ordinals[at]! - open.base) * FINGERPRINT_WORDS;
      for (let word = 0; word < FINGERPRINT_WORDS; word += 1)
        words[at * FINGERPRINT_WORDS + word] = own[from + word]!;
    }
    return new Fingerprints(words);
  }

  /** Lets go of the files. A restricted reader has none of its own. */
  close(): void {
    if (!this.#isRestricted) this.generation.close();
  }

  #openVectors(): OpenVectors {
    const { vectors } = this.generation;
    if (vectors === null) throw new Error('openVectors() comes before vectors are searched.');
    return vectors;
  }
}
