/** What is searched for in the database, and how terms, vectors and sets of documents are written into queries for it. */

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

/** The hash of a term as a signed 64-bit number. */
export const termKey = ({ high, low }: { readonly high: number; readonly low: number }): string =>
  BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)).toString();

export const vectorText = (vector: Float32Array) => `'[${vector.join(',')}]'::halfvec`;

/** As `get_bit` counts: the lowest bit of the first byte is that of document 0. */
export function bitmapText(documents: Uint8Array): string {
  const bits = Buffer.alloc(Math.ceil(documents.length / 8));
  for (let at = 0; at < documents.length; at += 1) if (documents[at] === 1) bits[at >>> 3]! |= 1 << (at & 7);
  return `'\\x${bits.toString('hex')}'::bytea`;
}

/** Marks a row of postings, and of a near document, in one answer of bytes. */
const POSTINGS = 1;
const NEAR = 2;

export const postingRows = (
  schema: string,
  idOf: (segment: string) => number,
  wanted: readonly WantedTerms[],
) =>
  `select '\\x0${POSTINGS}'::bytea || int4send(segment) || int8send(term) || int4send(block) || postings
   from ${schema}.search_posting where ${wanted
     .map(
       ({ segment, terms }) => `(segment = ${idOf(segment)} and term in (${terms.map(termKey).join(',')}))`,
     )
     .join(' or ')}`;

export const nearRows = (from: string) =>
  `select '\\x0${NEAR}'::bytea || int4send(segment) || int4send(document) || float8send(score) from ${from}`;

export interface RetrievedRows {
  readonly postings: (PostingsBlock & { readonly segment: string })[];
  readonly nearest: NearDocument[];
}

export function rowsOf(rows: readonly Uint8Array[], nameOf: (id: number) => string): RetrievedRows {
  const read: RetrievedRows = { postings: [], nearest: [] };
  for (const row of rows) {
    const view = new DataView(row.buffer, row.byteOffset, row.length);
    const segment = nameOf(view.getInt32(1));
    if (view.getUint8(0) === POSTINGS)
      read.postings.push({
        segment,
        high: view.getUint32(5),
        low: view.getUint32(9),
        block: view.getInt32(13),
        bytes: row.subarray(17),
      });
    else read.nearest.push({ segment, document: view.getInt32(5), score: view.getFloat64(9) });
  }
  read.postings.sort((a, b) => a.block - b.block);
  read.nearest.sort((a, b) => b.score - a.score);
  return read;
}
