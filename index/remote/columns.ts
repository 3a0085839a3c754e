/** The lexical columns of one query: for each segment of an outline, the postings of the query's terms and no others. */

import type { TermPostings } from '../lexical/postings/block.ts';
import { WIDTH } from '../lexical/postings/bm25f.ts';
import type { LexicalColumns } from '../lexical/postings/columns.ts';
import type { SegmentReader } from '../segment/reader.ts';
import type { TermHash } from './source.ts';

export interface QueryColumns {
  readonly columns: LexicalColumns;
  /** The number that each term of `columns` has in the whole segment, ascending as well. */
  readonly numbers: Uint32Array;
}

/** `terms` in order of their hashes, without those that the segment does not have. */
export function columnsOf(
  reader: SegmentReader,
  terms: readonly { readonly hash: TermHash; readonly term: TermPostings }[],
): QueryColumns {
  const total = terms.reduce((sum, { term }) => sum + term.postings.length, 0);
  const columns = {
    documents: reader.meta.documents,
    hashes: new Uint32Array(2 * terms.length),
    offsets: new Uint32Array(terms.length + 1),
    postings: new Uint32Array(total),
    impacts: new Uint16Array(total),
    cardImpacts: new Uint16Array(total),
    fields: new Uint8Array(total),
    frequencies: new Uint8Array(WIDTH * total),
    lengths: reader.lengths,
    passageStart: reader.passageStart,
    forwardOffsets: reader.forwardOffsets,
    forward: new Uint32Array(0),
  };
  const numbers = new Uint32Array(terms.length);
  let from = 0;
  terms.forEach(({ hash, term }, at) => {
    columns.hashes.set([hash.high, hash.low], 2 * at);
    columns.postings.set(term.postings, from);
    columns.impacts.set(term.impacts, from);
    columns.cardImpacts.set(term.cardImpacts, from);
    columns.fields.set(term.fields, from);
    columns.frequencies.set(term.frequencies, WIDTH * from);
    numbers[at] = term.number;
    from += term.postings.length;
    columns.offsets[at + 1] = from;
  });
  return { columns, numbers };
}
