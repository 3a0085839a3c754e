/**
 * The immutable columns of one segment: an inverted index and forward records as typed arrays, stored on disk in the
 * same form. `builder.ts` makes them; `query/search.ts` searches them.
 *
 * N documents, T terms, P postings (pairs of a term and a document that contains it). Terms are numbered in order of
 * their hashes, documents in order of insertion ("local numbers", from 0 in each segment).
 */
export interface LexicalColumns {
  /** N. */
  readonly documents: number;
  /** 2 × T: (high, low) of each term's hash, ascending. */
  readonly hashes: Uint32Array;
  /** T + 1: first posting of each term, then P. */
  readonly offsets: Uint32Array;
  /** P local document numbers, ascending within a term. */
  readonly postings: Uint32Array;
  /** P: BM25F impact without idf, in steps of `impactStep` (`bm25f.ts`). */
  readonly impacts: Uint16Array;
  /** P: BM25 impact over name and description alone; 0 if neither contains the term. */
  readonly cardImpacts: Uint16Array;
  /** P: bit f is set if field f of `FIELDS` contains the term. */
  readonly fields: Uint8Array;
  /** 4 × P: frequency of the term in each field, at most 255. Only merging needs it; may be empty for searching. */
  readonly frequencies: Uint8Array;
  /** 4 × N: length of each field in words without stop words. */
  readonly lengths: Uint32Array;
  /** N + 1: first passage of each document (local passage numbers), then the number of passages. */
  readonly passageStart: Uint32Array;
  /** N + 1: start of each document's record in `forward`, then the end of the last, in words. */
  readonly forwardOffsets: Uint32Array;
  /**
   * Reads the postings of a term into the four columns of length P, which are filled on demand. Absent if all postings
   * are in memory. Throws `INDEX_DAMAGED`.
   */
  readonly touch?: (term: number) => void;
  /** Forward records (`forward.ts`): which passages of a document contain a term. May be empty for searching. */
  readonly forward: Uint32Array;
}

/** Columns that are read in blocks. */
type LongColumn = 'postings' | 'frequencies' | 'forward';

/** The columns of a segment for merging: short ones in memory, long ones read in blocks. */
export interface ColumnsPart {
  readonly columns: Pick<
    LexicalColumns,
    'hashes' | 'offsets' | 'lengths' | 'passageStart' | 'forwardOffsets'
  >;
  /**
   * Bytes `from` to `to` (exclusive) of a long column, valid until the next read of that column. Four-byte aligned in
   * memory if `from` is a multiple of four. Calls come in ascending order, in several passes.
   */
  readonly read: (column: LongColumn, from: number, to: number) => Uint8Array;
  /** New number of each document, or −1 for a dead one. Ascending over all parts in order. */
  readonly keep: Int32Array;
}
