/**
 * Reads one segment. Columns that every search needs are read at their first use; payloads and passages stay on disk
 * and are read one by one.
 */

import { LRUCache } from 'lru-cache';
import type { Directory } from '../directory/directory.ts';
import { IndexError } from '../errors.ts';
import type { ColumnsPart, LexicalColumns } from '../lexical/postings/columns.ts';
import { firstAtLeast, hashTerm } from '../lexical/postings/hash.ts';
import type { Passage } from '../passage.ts';
import { DIGEST_BYTES, SEGMENT_FORMAT, type SegmentMeta } from './format.ts';
import { PageCursor, PagedColumn } from './pages.ts';
import { PassageTerms } from './passage-terms.ts';
import { PassageVectors } from './passage-vectors.ts';
import { RecordReader } from './records.ts';
import { bytesOf, SectionReader } from './sections.ts';

const utf8 = new TextDecoder();

/** Columns with one entry per posting that a search reads. */
const POSTING_SECTIONS = [
  ['postings.documents', 'postings'],
  ['postings.impacts', 'impacts'],
  ['postings.cardImpacts', 'cardImpacts'],
  ['postings.fields', 'fields'],
] as const;
type PostingColumn = (typeof POSTING_SECTIONS)[number][1];

/** Number of cached payloads, of about two kilobytes each. */
const PAYLOADS_KEPT = 512;

/** All document and passage numbers are local: they start at 0 in each segment. */
export class SegmentReader {
  readonly name: string;
  readonly meta: SegmentMeta;
  readonly sections: SectionReader<SegmentMeta>;
  readonly #lazy = new Map<string, unknown>();
  readonly #payloads = new LRUCache<number, NonNullable<unknown>>({ max: PAYLOADS_KEPT });
  #users = 1;

  /** Throws `INDEX_MISSING`, `INDEX_DAMAGED`, or `INDEX_FORMAT` for another format version. */
  constructor(directory: Directory, name: string) {
    this.name = name;
    const file = directory.open(name);
    try {
      this.sections = new SectionReader<SegmentMeta>(file, name);
      this.meta = this.sections.meta;
      if (this.meta.format !== SEGMENT_FORMAT)
        throw new IndexError(
          'INDEX_FORMAT',
          `The segment ${name} has format ${this.meta.format}; this version reads format ${SEGMENT_FORMAT}.`,
        );
    } catch (error) {
      file.close();
      throw error;
    }
  }

  key(document: number): string {
    const offsets = this.#once('keys.offsets', () => this.sections.uint32('keys.offsets'));
    const keys = this.#once('keys', () => this.sections.uint8('keys'));
    return utf8.decode(keys.subarray(offsets[document]!, offsets[document + 1]!));
  }

  /** Hex SHA-256. */
  digest(document: number): string {
    const digests = this.#once('digests', () => this.sections.uint8('digests'));
    return Buffer.from(digests.buffer, digests.byteOffset + document * DIGEST_BYTES, DIGEST_BYTES).toString(
      'hex',
    );
  }

  /** Documents with this key or alias, ascending. */
  resolve(alias: string): number[] {
    const hashes = this.#once('aliases.hashes', () => this.sections.uint32('aliases.hashes'));
    const documents = this.#once('aliases.documents', () => this.sections.uint32('aliases.documents'));
    const [high, low] = hashTerm(alias);
    const found: number[] = [];
    for (let at = firstAtLeast(hashes, high, low); at < documents.length; at += 1) {
      if (hashes[2 * at] !== high || hashes[2 * at + 1] !== low) break;
      found.push(documents[at]!);
    }
    return found.sort((a, b) => a - b);
  }

  /** Documents of each facet. */
  get facets(): ReadonlyMap<string, readonly number[]> {
    return this.#once('facets', () => {
      const json: Record<string, number[]> = JSON.parse(utf8.decode(this.sections.uint8('facets')));
      return new Map(Object.entries(json));
    });
  }

  /** `Uint32Array[documents × 16]`: the fingerprints of `fingerprint.ts` as words. */
  get fingerprints(): Uint32Array {
    return this.#once('fingerprints', () => this.sections.uint32('fingerprints'));
  }

  /** May return the same value again; do not change it. */
  payload(document: number): unknown {
    const records = this.#once('payloads', () => new RecordReader(this.sections, 'payloads'));
    const kept = this.#payloads.get(document);
    if (kept !== undefined) return kept;
    const payload = records.json(document);
    if (payload !== null && payload !== undefined) this.#payloads.set(document, payload);
    return payload;
  }

  passage(passage: number): Passage {
    // The cast is sound: the record's checksum holds, so it is what the writer serialised.
    return this.#once('passages', () => new RecordReader(this.sections, 'passages')).json(passage) as Passage;
  }

  /** Stored records `from` to `to` (exclusive), as bytes, read many at a time. Each is valid until the next. */
  records(store: 'payloads' | 'passages', from: number, to: number): Generator<Uint8Array> {
    return this.#once(store, () => new RecordReader(this.sections, store)).all(from, to);
  }

  get kinds(): Uint8Array {
    return this.#once('kinds', () => this.sections.uint8('passages.kinds'));
  }

  /** First passage of each document, then the number of passages. */
  get passageStart(): Uint32Array {
    return this.#once('passageStart', () => this.sections.uint32('passages.start'));
  }

  /** `Uint32Array[4 × documents]`: length of each field, as `LexicalColumns` has it. */
  get lengths(): Uint32Array {
    return this.#once('lengths', () => this.sections.uint32('lengths'));
  }

  /** Which passages contain which terms, read on demand. */
  get passageTerms(): PassageTerms {
    return this.#once('passageTerms', () =>
      PassageTerms.of(this.sections, this.forwardOffsets, this.passageStart),
    );
  }

  /** The columns for searching; postings are read when a term is touched. Columns that only merging needs are empty. */
  get searchColumns(): LexicalColumns {
    return this.#once('searchColumns', () => {
      const shared = this.#sharedColumns();
      const count = shared.offsets.at(-1) ?? 0;
      const paged = {
        postings: new Uint32Array(count),
        impacts: new Uint16Array(count),
        cardImpacts: new Uint16Array(count),
        fields: new Uint8Array(count),
      };
      const columns = POSTING_SECTIONS.map(([section, column]) => ({
        width: paged[column].BYTES_PER_ELEMENT,
        pages: new PagedColumn(this.sections, section, bytesOf(paged[column])),
      }));
      return {
        ...shared,
        ...paged,
        touch: (term) => {
          const from = shared.offsets[term]!;
          const to = shared.offsets[term + 1]!;
          for (const { width, pages } of columns) pages.ensure(from * width, to * width);
        },
        frequencies: new Uint8Array(0),
        forward: new Uint32Array(0),
      };
    });
  }

  /** The same with frequencies, from which a restricted search computes weights: four more bytes per posting. */
  get weighingColumns(): LexicalColumns {
    return this.#once('weighingColumns', () => ({
      ...this.searchColumns,
      frequencies: this.sections.uint8('postings.frequencies'),
    }));
  }

  /** The columns for merging: short ones in memory, long ones in windows of `pages`. Not cached. */
  mergeColumns(pages: number): Omit<ColumnsPart, 'keep'> {
    const cursors = {
      postings: new PageCursor(this.sections, 'postings.documents', pages),
      frequencies: new PageCursor(this.sections, 'postings.frequencies', pages),
      forward: new PageCursor(this.sections, 'forward', pages),
    };
    return {
      columns: this.#sharedColumns(),
      read: (column, from, to) => cursors[column].read(from, to),
    };
  }

  /** Vectors of the passages, read on demand. */
  get passageVectors(): PassageVectors {
    const { passages, dimensions } = this.meta;
    return this.#once('passageVectors', () => PassageVectors.of(this.sections, passages, dimensions));
  }

  /** Adds a user: the segment stays open until each user has closed it. */
  share(): this {
    this.#users += 1;
    return this;
  }

  close(): void {
    this.#users -= 1;
    if (this.#users === 0) this.sections.close();
  }

  /** Start of each document's forward record, then the end of the last, in words. */
  get forwardOffsets(): Uint32Array {
    return this.#once('forward.offsets', () => this.sections.uint32('forward.offsets'));
  }

  #sharedColumns(): Omit<LexicalColumns, 'frequencies' | 'forward' | PostingColumn> {
    const { sections } = this;
    return {
      documents: this.meta.documents,
      hashes: sections.uint32('terms.hashes'),
      offsets: sections.uint32('terms.offsets'),
      lengths: this.lengths,
      passageStart: this.passageStart,
      forwardOffsets: this.forwardOffsets,
    };
  }

  /** Reads a part of the file once. The cast is sound: each name always has the same type. */
  #once<T>(name: string, read: () => T): T {
    if (!this.#lazy.has(name)) this.#lazy.set(name, read());
    return this.#lazy.get(name) as T;
  }
}
