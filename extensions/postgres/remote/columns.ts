/** The lexical columns of one query: for each segment of an outline, the postings of the query's terms and no others. */

import { headOf, readBlock } from '../../../index/lexical/postings/block.ts';
import { WIDTH } from '../../../index/lexical/postings/bm25f.ts';
import type { LexicalColumns } from '../../../index/lexical/postings/columns.ts';
import type { SegmentReader } from '../../../index/segment/reader.ts';
import type { KeptBlock } from './cache.ts';
import type { TermHash } from './source.ts';

export interface QueryColumns {
  readonly columns: LexicalColumns;
  /** The number that each term of `columns` has in the whole segment, ascending as well. */
  readonly numbers: Uint32Array;
}

/**
 * `terms` in order of their hashes with all their blocks, without those that the segment does not have. A restricted search
 * weighs postings anew by their frequencies, others need none. Throws `RangeError` for a damaged block.
 */
export function columnsOf(
  reader: SegmentReader,
  terms: readonly { readonly hash: TermHash; readonly blocks: readonly KeptBlock[] }[],
  needsFrequencies: boolean,
): QueryColumns {
  const heads = terms.map(({ blocks }) => blocks.map(headOf));
  const total = heads.flat().reduce((sum, { count }) => sum + count, 0);
  const columns = {
    documents: reader.meta.documents,
    hashes: new Uint32Array(2 * terms.length),
    offsets: new Uint32Array(terms.length + 1),
    postings: new Uint32Array(total),
    impacts: new Uint16Array(total),
    cardImpacts: new Uint16Array(total),
    fields: new Uint8Array(total),
    frequencies: new Uint8Array(needsFrequencies ? WIDTH * total : 0),
    lengths: reader.lengths,
    passageStart: reader.passageStart,
    forwardOffsets: reader.forwardOffsets,
    forward: new Uint32Array(0),
  };
  const numbers = new Uint32Array(terms.length);
  let from = 0;
  terms.forEach(({ hash, blocks }, at) => {
    columns.hashes.set([hash.high, hash.low], 2 * at);
    blocks.forEach((block, part) => {
      const { number, count } = heads[at]![part]!;
      numbers[at] = number;
      readBlock(block, columns, from);
      from += count;
    });
    columns.offsets[at + 1] = from;
  });
  return { columns, numbers };
}
