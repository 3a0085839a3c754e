/** Which passages of documents contain a query's words: records of a segment, read on demand, or records in memory. */

import { ForwardIndex } from '../lexical/postings/forward.ts';
import type { LexicalQuery } from '../lexical/query/query.ts';
import { PagedColumn } from './pages.ts';
import { bytesOf, type SectionReader } from './sections.ts';

const SECTION = 'forward';

/** Documents are local numbers; segments of a query are indexes into `query.segments`. */
export class PassageTerms {
  readonly #records: ForwardIndex;
  /** Null if all records are in memory. */
  readonly #pages: PagedColumn | null;
  readonly #offsets: Uint32Array;
  readonly #passageStart: Uint32Array;
  /** One number per passage of a document. */
  #sums = new Float64Array(256);
  /** The last lookup: callers often weigh a document's passages, then ask for the terms of one of them. */
  #last: { document: number; numbers: Uint32Array; count: number } | null = null;

  /** The records of a segment. */
  static of(sections: SectionReader<unknown>, offsets: Uint32Array, passageStart: Uint32Array): PassageTerms {
    const words = new Uint32Array(sections.size(SECTION) / 4);
    return new PassageTerms(words, offsets, passageStart, new PagedColumn(sections, SECTION, bytesOf(words)));
  }

  /** `offsets`: start of each document's record in `words`, then the end of the last. */
  constructor(
    words: Uint32Array,
    offsets: Uint32Array,
    passageStart: Uint32Array,
    pages: PagedColumn | null = null,
  ) {
    this.#pages = pages;
    this.#records = new ForwardIndex(words);
    this.#offsets = offsets;
    this.#passageStart = passageStart;
  }

  /**
   * For each passage of the document, the sum of the weights of the query terms that it contains:
   * `Float64Array[passages]`, valid until the next call. Throws `INDEX_DAMAGED`.
   */
  weights(query: LexicalQuery, segment: number, document: number): Float64Array {
    const { numbers, terms } = query.segments[segment]!;
    const passages = this.#passages(document);
    if (this.#sums.length < passages) this.#sums = new Float64Array(passages);
    const sums = this.#sums.subarray(0, passages).fill(0);
    const count = this.#find(document, numbers);
    const { found } = this.#records;
    for (let at = 0; at < count; at += 1)
      sums[found.passages[at]!]! += query.terms[terms[found.terms[at]!]!]!.weight;
    return sums;
  }

  /**
   * Indexes into `query.terms` of the terms that a passage of the document contains, ascending. Throws `INDEX_DAMAGED`.
   */
  held(query: LexicalQuery, segment: number, document: number, passage: number): number[] {
    const { numbers, terms } = query.segments[segment]!;
    const count = this.#find(document, numbers);
    const { found } = this.#records;
    const places: number[] = [];
    for (let at = 0; at < count; at += 1)
      if (found.passages[at] === passage) places.push(terms[found.terms[at]!]!);
    return places.sort((a, b) => a - b);
  }

  #passages(document: number): number {
    return this.#passageStart[document + 1]! - this.#passageStart[document]!;
  }

  #find(document: number, numbers: Uint32Array): number {
    const last = this.#last;
    if (last !== null && last.document === document && last.numbers === numbers) return last.count;
    const start = this.#offsets[document]!;
    const stop = this.#offsets[document + 1]!;
    this.#pages?.ensure(4 * start, 4 * stop);
    const count = this.#records.find(start, stop, this.#passages(document), numbers);
    this.#last = { document, numbers, count };
    return count;
  }
}
