/**
 * Forward records: which passages of a document contain a term. They rank the passages of a result without opening
 * their text.
 *
 * Each document has one record of 32-bit words. A term is found by binary search, and nothing else is decoded:
 *
 *   n │ n term numbers, ascending │ start of the list of every 16th term, in units │ lists, padded to a word
 *
 * A list has one unit per passage that contains the term: the passage's number in the document, ascending. The highest
 * bit of a unit marks the end of a list. A unit has one, two or four bytes, depending on the number of passages.
 */

import { GrowingUint32, lowerBound } from '../../numbers.ts';

/** Terms per list start: a lookup skips fewer than this many lists. */
const BLOCK = 16;
const BLOCK_SHIFT = 4;

/** Bytes of a unit that can number so many passages and has one bit left. */
const widthFor = (passages: number) => (passages <= 1 << 7 ? 1 : passages <= 1 << 15 ? 2 : 4);

/** Words of a record before its lists. */
const headOf = (terms: number) => 1 + terms + Math.ceil(terms / BLOCK);

/** Writes consecutive records. */
export class ForwardRecords {
  #words = new Uint32Array(1 << 14);
  #end = 0;
  /** Words of records that `take` returned. */
  #taken = 0;
  readonly #offsets = new GrowingUint32();

  constructor() {
    this.#offsets.push(0);
  }

  /**
   * Adds a document with `passages` passages. `pairs` has `term × passages + passage` for each occurrence, ascending.
   */
  push(pairs: Float64Array, passages: number): void {
    let terms = 0;
    let previous = -1;
    for (const pair of pairs) {
      const term = Math.floor(pair / passages);
      if (term !== previous) terms += 1;
      previous = term;
    }
    const width = widthFor(passages);
    const words = headOf(terms) + Math.ceil((pairs.length * width) / 4);
    this.#reserve(words);
    const record = this.#words.subarray(this.#end, this.#end + words).fill(0);
    record[0] = terms;
    const blocks = 1 + terms;
    const units = unitsOf(record, width).subarray((headOf(terms) * 4) / width);
    const last = lastBit(width);
    let slot = -1;
    previous = -1;
    for (let at = 0; at < pairs.length; at += 1) {
      const term = Math.floor(pairs[at]! / passages);
      if (term !== previous) {
        if (at > 0) units[at - 1]! += last;
        slot += 1;
        record[1 + slot] = term;
        if (slot % BLOCK === 0) record[blocks + slot / BLOCK] = at;
        previous = term;
      }
      units[at] = pairs[at]! - term * passages;
    }
    if (pairs.length > 0) units[pairs.length - 1]! += last;
    this.#add(words);
  }

  /** Adds a copy of a record with its terms renumbered in the same order. */
  pushRenumbered(record: Uint32Array, numbers: Int32Array): void {
    this.#reserve(record.length);
    const copy = this.#words.subarray(this.#end, this.#end + record.length);
    copy.set(record);
    for (let at = 1; at <= record[0]!; at += 1) copy[at] = numbers[record[at]!]!;
    this.#add(record.length);
  }

  /** Words of the records that have not been taken. */
  get held(): number {
    return this.#end;
  }

  /** The records added since the last call; valid until the next push. */
  take(): Uint32Array {
    const words = this.#words.subarray(0, this.#end);
    this.#taken += this.#end;
    this.#end = 0;
    return words;
  }

  /** Start of every record added so far, and the end of the last, in words. */
  offsets(): Uint32Array {
    return this.#offsets.view().slice();
  }

  /** All records and their offsets. Only without earlier calls of `take`. */
  finish(): { readonly forwardOffsets: Uint32Array; readonly forward: Uint32Array } {
    return { forwardOffsets: this.offsets(), forward: this.#words.slice(0, this.#end) };
  }

  #add(words: number): void {
    this.#end += words;
    this.#offsets.push(this.#taken + this.#end);
  }

  #reserve(words: number): void {
    if (this.#end + words <= this.#words.length) return;
    const grown = new Uint32Array(Math.max(2 * this.#words.length, this.#end + words));
    grown.set(this.#words.subarray(0, this.#end));
    this.#words = grown;
  }
}

/** Looks up terms in consecutive records. */
export class ForwardIndex {
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #pairs: Uint16Array;
  #found = { terms: new Uint32Array(256), passages: new Uint32Array(256) };

  constructor(words: Uint32Array) {
    this.#words = words;
    this.#bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    this.#pairs = new Uint16Array(words.buffer, words.byteOffset, 2 * words.length);
  }

  /**
   * The result of the last `find`, pair by pair: index of the term in `numbers`, number of the passage in its document.
   */
  get found(): { readonly terms: Uint32Array; readonly passages: Uint32Array } {
    return this.#found;
  }

  /**
   * Finds the passages of a document that contain the terms `numbers` (ascending). Its record has the words `start` to
   * `stop` (exclusive). Returns the number of pairs in `found`, by term, then by passage, ascending.
   */
  find(start: number, stop: number, passages: number, numbers: Uint32Array): number {
    const words = this.#words;
    const first = start + 1;
    const end = first + words[start]!;
    const width = widthFor(passages);
    const units = width === 1 ? this.#bytes : width === 2 ? this.#pairs : words;
    const lists = ((start + headOf(words[start]!)) * 4) / width;
    const shift = 8 * width - 1;
    const last = lastBit(width);
    const most = Math.min(numbers.length * passages, (stop * 4) / width - lists);
    if (this.#found.terms.length < most) this.#grow(most);
    const { terms: foundTerms, passages: foundPassages } = this.#found;
    let count = 0;
    let low = first;
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at]!;
      low = lowerBound(words, number, low, end);
      if (low === end) break;
      if (words[low] !== number) continue;
      const slot = low - first;
      let unit = lists + words[end + (slot >>> BLOCK_SHIFT)]!;
      for (let before = slot % BLOCK; before > 0; unit += 1) before -= units[unit]! >>> shift;
      for (let isLast = false; !isLast; unit += 1) {
        const value = units[unit]!;
        isLast = value >= last;
        foundTerms[count] = at;
        foundPassages[count] = isLast ? value - last : value;
        count += 1;
      }
    }
    return count;
  }

  /**
   * Calls `visit` for each term and passage of a record, with the term's number and the passage's number in its
   * document.
   */
  each(start: number, stop: number, passages: number, visit: (term: number, passage: number) => void): void {
    const numbers = this.#words.subarray(start + 1, start + 1 + this.#words[start]!);
    const count = this.find(start, stop, passages, numbers);
    for (let at = 0; at < count; at += 1) visit(numbers[this.#found.terms[at]!]!, this.#found.passages[at]!);
  }

  #grow(size: number): void {
    this.#found = { terms: new Uint32Array(size), passages: new Uint32Array(size) };
  }
}

const lastBit = (width: number) => 2 ** (8 * width - 1);

/** The words as units of `width` bytes. */
function unitsOf(words: Uint32Array, width: number): Uint8Array | Uint16Array | Uint32Array {
  if (width === 4) return words;
  const { buffer, byteOffset, byteLength } = words;
  return width === 1
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint16Array(buffer, byteOffset, byteLength / 2);
}
