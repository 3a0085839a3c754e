/**
 * The immutable columns of one segment: an inverted index and its forward records as typed arrays, which are
 * written to disk and read back as they are. What they are made from is `builder.ts`; how they are searched,
 * `search.ts`.
 *
 * N documents, T terms, P postings (pairs of a term and a document that holds it). Terms are numbered in order
 * of their hashes, documents in order of adding ("local numbers": from 0 in each segment).
 */
export interface LexicalColumns {
  /** N. */
  readonly documents: number;
  /** 2 × T: (high, low) of each term's hash, ascending. */
  readonly hashes: Uint32Array;
  /** T + 1: first posting of each term, and at the end P. */
  readonly offsets: Uint32Array;
  /** P local document numbers, ascending within a term. */
  readonly postings: Uint32Array;
  /** P: what a term tells of a document by BM25F, without idf, in steps of `IMPACT_STEP` (`bm25f.ts`). */
  readonly impacts: Uint16Array;
  /** P: the same by BM25 over name and description alone; 0 where neither holds the term. */
  readonly cardImpacts: Uint16Array;
  /** P: bit f is set where field f of `FIELDS` holds the term. */
  readonly fields: Uint8Array;
  /** 4 × P: how often each field holds the term, at most 255. Only needed to merge; may be empty to search. */
  readonly frequencies: Uint8Array;
  /** 4 × N: length of each field in words that are not stop words. */
  readonly lengths: Uint32Array;
  /** N + 1: first passage of each document (local passage numbers), and at the end the number of passages. */
  readonly passageStart: Uint32Array;
  /** N + 1: where each document's record begins in `forward`, and at the end its length, in words. */
  readonly forwardOffsets: Uint32Array;
  /**
   * Makes the postings of a term valid (its place in the four columns of length P): columns on disk are filled as
   * terms are asked for. Absent where all are. Throws `INDEX_DAMAGED`.
   */
  readonly touch?: (term: number) => void;
  /** Records of `forward.ts`: which passages of a document hold a term. May be empty to search. */
  readonly forward: Uint32Array;
}

/** Columns that are read in pieces. */
export type LongColumn = 'postings' | 'frequencies' | 'forward';

/** Columns of a segment as a merge reads them: the short ones at hand, the long ones in pieces. */
export interface ColumnsPart {
  readonly columns: Pick<
    LexicalColumns,
    'hashes' | 'offsets' | 'lengths' | 'passageStart' | 'forwardOffsets'
  >;
  /**
   * Bytes `from` to `to` (excluded) of a long column, valid until that column is read again; at a multiple of four in
   * memory where `from` is one. Asked for in ascending order, several times over.
   */
  readonly read: (column: LongColumn, from: number, to: number) => Uint8Array;
  /** New number of each document, or −1 for a dead one. Ascending, over all parts in their order. */
  readonly keep: Int32Array;
}
