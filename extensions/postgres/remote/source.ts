/** Where the parts of an index are that its outline leaves out. `extensions/postgres/database` implements it over tables. */

import type { PostingsBlock } from '../postings-block.ts';

/** A term as its hash. */
export interface TermHash {
  readonly high: number;
  readonly low: number;
}

/** Terms whose postings are wanted from a segment. */
export interface WantedTerms {
  readonly segment: string;
  readonly terms: readonly TermHash[];
}

/** A search of the documents' summary vectors. */
export interface NearestRequest {
  /** `Float32Array[d]`, unit length. */
  readonly vector: Float32Array;
  readonly count: number;
  /** By segment, in order of the ordinals: 1 for each document that may be found. */
  readonly accepted: readonly { readonly segment: string; readonly documents: Uint8Array }[];
  /** Number of accepted documents. */
  readonly size: number;
  /** Whether `accepted` leaves out any document. */
  readonly isFiltered: boolean;
  /** True if the answer may depend on accepted documents only, and has all that tie with the last one. */
  readonly exact: boolean;
}

export interface NearDocument {
  readonly segment: string;
  readonly document: number;
  /** Inner product with the query. */
  readonly score: number;
}

export interface RemoteRange {
  readonly segment: string;
  /** Bytes of the segment file: `from` to `to` (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** Each call is one round trip. */
export interface RemoteSource {
  /** Postings of terms, blocks of a term in order; and near documents, best first. */
  retrieve(
    terms: readonly WantedTerms[],
    nearest: NearestRequest | null,
  ): Promise<{
    readonly postings: readonly (PostingsBlock & { readonly segment: string })[];
    readonly nearest: readonly NearDocument[];
  }>;
  /** In the order of the ranges. */
  read(ranges: readonly RemoteRange[]): Promise<readonly Uint8Array[]>;
}
