/** The sections of a segment file. Increasing `SEGMENT_FORMAT` makes callers rebuild older indexes. */

import type { LexicalColumns } from '../lexical/postings/columns.ts';

/** Version of the sections and their meaning. */
export const SEGMENT_FORMAT = 4;

/** Bytes of a document's digest, a SHA-256. */
export const DIGEST_BYTES = 32;

/** Extension of segment files; names are `<run>-<number>.segment`. */
export const SEGMENT_SUFFIX = '.segment';

/** Stored in the segment's table of contents: enough to judge a segment without a manifest. */
export interface SegmentMeta {
  readonly format: number;
  readonly embedder: string;
  readonly dimensions: number;
  readonly recipe: string;
  readonly documents: number;
  readonly passages: number;
}

/** A finished segment as listed in a manifest. */
export interface SegmentInfo {
  readonly name: string;
  readonly documents: number;
  readonly passages: number;
  readonly bytes: number;
}

/** Columns with a checksum per page (`pages.ts`): a search reads some of their pages, a merge all in order. */
export const PAGED_COLUMNS: ReadonlySet<string> = new Set([
  'postings.documents',
  'postings.impacts',
  'postings.cardImpacts',
  'postings.fields',
  'postings.frequencies',
  'forward',
  'vectors.passages',
]);

/** Section names of the lexical columns, in file order. */
export const LEXICAL_COLUMNS = [
  ['terms.hashes', 'hashes'],
  ['terms.offsets', 'offsets'],
  ['postings.documents', 'postings'],
  ['postings.impacts', 'impacts'],
  ['postings.cardImpacts', 'cardImpacts'],
  ['postings.fields', 'fields'],
  ['postings.frequencies', 'frequencies'],
  ['lengths', 'lengths'],
  ['passages.start', 'passageStart'],
  ['forward.offsets', 'forwardOffsets'],
  ['forward', 'forward'],
] as const satisfies readonly (readonly [string, keyof LexicalColumns])[];
