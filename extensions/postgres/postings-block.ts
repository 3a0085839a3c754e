/**
 * Postings of one term as bytes, for stores that keep a row per term and block: documents `65,536 × block` to the next.
 * Numbers are varints (seven bits a byte, lowest first):
 *
 *   term's number in its segment │ n │ n gaps between documents │ n masks │ large counts │ impacts │ impacts of the card
 *
 * A mask has two bits for each field: how often the term occurs there, 0 to 2, or 3 for a count that follows. Impacts are
 * 16 bits; that of the card is there if the mask has name or description.
 */

import { WIDTH } from '../../index/lexical/postings/bm25f.ts';
import type { LexicalColumns } from '../../index/lexical/postings/columns.ts';

/** Documents of one block: a row of a term in every document has some 300 KB. */
export const BLOCK_DOCUMENTS = 1 << 16;

const MANY = 3;
/** Masks of a posting in the name or description; the bits of these two fields. */
const CARD = 0b1111;
const CARD_FIELDS = 0b11;

/** By mask: the fields that have the term, as bits; how many of its counts stand in the list of large ones. */
const FIELDS_OF = byMask((count, field) => (count > 0 ? 1 << field : 0));
const LARGE_OF = byMask((count) => (count === MANY ? 1 : 0));

function byMask(valueAt: (count: number, field: number) => number): Uint8Array {
  return Uint8Array.from({ length: 1 << (2 * WIDTH) }, (_, mask) => {
    let sum = 0;
    for (let field = 0; field < WIDTH; field += 1) sum += valueAt((mask >>> (2 * field)) & MANY, field);
    return sum;
  });
}

/** One block of one term. */
export interface PostingsBlock {
  readonly high: number;
  readonly low: number;
  readonly block: number;
  readonly bytes: Uint8Array;
}

/** Every block of every term, in order of the terms' hashes. `columns` must have frequencies. */
export function* blocksOf(columns: LexicalColumns): Generator<PostingsBlock> {
  const { hashes, offsets, postings, touch } = columns;
  const bytes = new Bytes();
  for (let term = 0; 2 * term < hashes.length; term += 1) {
    touch?.(term);
    const end = offsets[term + 1]!;
    for (let from = offsets[term]!; from < end; ) {
      const block = Math.floor(postings[from]! / BLOCK_DOCUMENTS);
      let to = from + 1;
      while (to < end && postings[to]! < (block + 1) * BLOCK_DOCUMENTS) to += 1;
      encode(bytes, columns, term, block, from, to);
      yield { high: hashes[2 * term]!, low: hashes[2 * term + 1]!, block, bytes: bytes.take() };
      from = to;
    }
  }
}

function encode(
  bytes: Bytes,
  { postings, impacts, cardImpacts, frequencies }: LexicalColumns,
  term: number,
  block: number,
  from: number,
  to: number,
): void {
  bytes.number(term);
  bytes.number(to - from);
  let before = block * BLOCK_DOCUMENTS;
  for (let at = from; at < to; at += 1) {
    bytes.number(postings[at]! - before);
    before = postings[at]!;
  }
  const maskAt = (at: number) => {
    let mask = 0;
    for (let field = 0; field < WIDTH; field += 1)
      mask |= Math.min(MANY, frequencies[WIDTH * at + field]!) << (2 * field);
    return mask;
  };
  for (let at = from; at < to; at += 1) bytes.byte(maskAt(at));
  for (let at = WIDTH * from; at < WIDTH * to; at += 1)
    if (frequencies[at]! >= MANY) bytes.byte(frequencies[at]!);
  for (let at = from; at < to; at += 1) bytes.word(impacts[at]!);
  for (let at = from; at < to; at += 1) if ((maskAt(at) & CARD) !== 0) bytes.word(cardImpacts[at]!);
}

/** Least bytes of a posting: a gap, a mask and an impact. */
const MIN_BYTES = 4;

/** The term's number in its segment, and how many postings the block has. Throws `RangeError` for bytes that no block has. */
export function headOf({ bytes }: Pick<PostingsBlock, 'bytes'>): { number: number; count: number } {
  const { number, count, end } = readHead(bytes);
  if (end + MIN_BYTES * count > bytes.length) throw tooShort();
  return { number, count };
}

/** The columns that a block fills. */
export type PostingColumns = Pick<
  LexicalColumns,
  'postings' | 'impacts' | 'cardImpacts' | 'fields' | 'frequencies'
>;

/**
 * Writes the postings of a block into columns, from posting `from` on; frequencies only where their column is not empty. Throws
 * `RangeError` for bytes that no block has.
 */
export function readBlock(
  { block, bytes }: Pick<PostingsBlock, 'block' | 'bytes'>,
  { postings, impacts, cardImpacts, fields, frequencies }: PostingColumns,
  from: number,
): void {
  const { count, end } = readHead(bytes);
  const to = from + count;
  // Past the end a byte reads as undefined, here 0: one check after the loops is enough.
  let at = end;
  let document = block * BLOCK_DOCUMENTS;
  for (let posting = from; posting < to; posting += 1) {
    let byte = bytes[at++]! | 0;
    let gap = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]! | 0;
      gap |= (byte & 0x7f) << shift;
    }
    document += gap;
    postings[posting] = document;
  }
  if (frequencies.length > 0) readFrequencies(bytes, at, frequencies, from, to);
  let large = 0;
  for (let posting = from; posting < to; posting += 1) {
    const mask = bytes[at++]! | 0;
    fields[posting] = FIELDS_OF[mask]!;
    large += LARGE_OF[mask]!;
  }
  at += large;
  for (let posting = from; posting < to; posting += 1, at += 2)
    impacts[posting] = bytes[at]! | (bytes[at + 1]! << 8);
  for (let posting = from; posting < to; posting += 1)
    if ((fields[posting]! & CARD_FIELDS) !== 0) {
      cardImpacts[posting] = bytes[at]! | (bytes[at + 1]! << 8);
      at += 2;
    }
  if (at > bytes.length) throw tooShort();
}

/** `at`: where the masks begin. */
function readFrequencies(
  bytes: Uint8Array,
  at: number,
  frequencies: Uint8Array,
  from: number,
  to: number,
): void {
  let large = at + to - from;
  for (let posting = from; posting < to; posting += 1) {
    const mask = bytes[at + posting - from]! | 0;
    for (let field = 0; field < WIDTH; field += 1) {
      const count = (mask >>> (2 * field)) & MANY;
      frequencies[WIDTH * posting + field] = count === MANY ? bytes[large++]! : count;
    }
  }
}

function readHead(bytes: Uint8Array): { number: number; count: number; end: number } {
  let at = 0;
  const next = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw tooShort();
      value |= (byte & 0x7f) << shift;
      if (byte <= 0x7f) return value >>> 0;
    }
  };
  const number = next();
  const count = next();
  return { number, count, end: at };
}

const tooShort = () => new RangeError('A block of postings ends too early.');

class Bytes {
  #bytes = new Uint8Array(1 << 12);
  #end = 0;

  byte(value: number): void {
    if (this.#end === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#end);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#end] = value;
    this.#end += 1;
  }

  word(value: number): void {
    this.byte(value & 0xff);
    this.byte(value >>> 8);
  }

  number(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#end);
    this.#end = 0;
    return taken;
  }
}
