/**
 * Postings of one term as bytes, for stores that keep a row per term and block: documents `65,536 × block` to the next.
 * Numbers are varints (seven bits a byte, lowest first):
 *
 *   term's number in its segment │ n │ n gaps between documents │ n masks │ large counts │ impacts │ impacts of the card
 *
 * A mask has two bits for each field: how often the term occurs there, 0 to 2, or 3 for a count that follows. Impacts are
 * 16 bits; that of the card is there if the mask has name or description.
 */

import { WIDTH } from './bm25f.ts';
import type { LexicalColumns } from './columns.ts';

/** Documents of one block: a row of a term in every document has some 300 KB. */
export const BLOCK_DOCUMENTS = 1 << 16;

const MANY = 3;
const CARD = 0b1111;

/** One block of one term. */
export interface PostingsBlock {
  readonly high: number;
  readonly low: number;
  readonly block: number;
  readonly bytes: Uint8Array;
}

/** Postings of one term, all blocks together. */
export interface TermPostings {
  /** The term's number in its segment. */
  readonly number: number;
  readonly postings: Uint32Array;
  readonly impacts: Uint16Array;
  readonly cardImpacts: Uint16Array;
  readonly fields: Uint8Array;
  readonly frequencies: Uint8Array;
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

/** The postings of a term from its blocks, in order. At least one. Throws `RangeError` for bytes that no block has. */
export function termOf(
  blocks: readonly { readonly block: number; readonly bytes: Uint8Array }[],
): TermPostings {
  const read = blocks.map(({ block, bytes }) => ({ block, cursor: new Cursor(bytes) }));
  let number = 0;
  const counts = read.map(({ cursor }) => {
    number = cursor.number();
    return cursor.number();
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  const term = {
    number,
    postings: new Uint32Array(total),
    impacts: new Uint16Array(total),
    cardImpacts: new Uint16Array(total),
    fields: new Uint8Array(total),
    frequencies: new Uint8Array(WIDTH * total),
  };
  let from = 0;
  read.forEach(({ block, cursor }, at) => {
    decode(term, from, from + counts[at]!, block, cursor);
    from += counts[at]!;
  });
  return term;
}

function decode(
  { postings, impacts, cardImpacts, fields, frequencies }: TermPostings,
  from: number,
  to: number,
  block: number,
  cursor: Cursor,
): void {
  let document = block * BLOCK_DOCUMENTS;
  for (let at = from; at < to; at += 1) {
    document += cursor.number();
    postings[at] = document;
  }
  for (let at = from; at < to; at += 1) {
    const mask = cursor.byte();
    let held = 0;
    for (let field = 0; field < WIDTH; field += 1) {
      const count = (mask >>> (2 * field)) & MANY;
      frequencies[WIDTH * at + field] = count;
      if (count > 0) held |= 1 << field;
    }
    fields[at] = held;
  }
  for (let at = WIDTH * from; at < WIDTH * to; at += 1)
    if (frequencies[at] === MANY) frequencies[at] = cursor.byte();
  for (let at = from; at < to; at += 1) impacts[at] = cursor.word();
  for (let at = from; at < to; at += 1) if ((fields[at]! & 0b11) !== 0) cardImpacts[at] = cursor.word();
}

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

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError('A block of postings ends too early.');
    this.#at += 1;
    return value;
  }

  word(): number {
    return this.byte() | (this.byte() << 8);
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
}
