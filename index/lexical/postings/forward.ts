/**
 * Forward records: which passages of a document hold a term, so that the passages of a found document can be told
 * apart without opening their text.
 *
 * One record a document, in words of 32 bits, so that a term is found by halving and nothing else has to be decoded:
 *
 *   n │ n term numbers, ascending │ where the lists of every 16th term begin, in units │ lists, padded to a word
 *
 * A list names the passages that hold a term by their places in the document, ascending, one unit each; the unit's
 * highest bit marks the last of a list. A unit has one byte, two or four: as the number of passages needs.
 */

import { lowerBound } from '../../lower-bound.ts';
import { GrowingUint32 } from './growing.ts';

/** Terms of one entry of the middle part: as many lists are walked over at most. */
const BLOCK = 16;
const BLOCK_SHIFT = 4;

/** Bytes of a unit that tells so many passages apart and has a bit to spare. */
const widthFor = (passages: number) => (passages <= 1 << 7 ? 1 : passages <= 1 << 15 ? 2 : 4);

/** Words before a record's lists. */
const headOf = (terms: number) => 1 + terms + Math.ceil(terms / BLOCK);

/** Writes records one after the other. */
export class ForwardRecords {
  #words = new Uint32Array(1 << 14);
  #end = 0;
  /** Words of records that were taken away. */
  #taken = 0;
  readonly #offsets = new GrowingUint32();

  constructor() {
    this.#offsets.push(0);
  }

  /** Adds a document of that many passages: each `term × passages + place` of a term in a passage, ascending. */
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

  /** Adds a record with other numbers for its terms, in the same order. */
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

  /** The records pushed since it was last called; valid until the next push. */
  take(): Uint32Array {
    const words = this.#words.subarray(0, this.#end);
    this.#taken += this.#end;
    this.#end = 0;
    return words;
  }

  /** Where each record begins, of all that were pushed, and where the last ends, in words. */
  offsets(): Uint32Array {
    return this.#offsets.view().slice();
  }

  /** All records, where none was taken, and where each begins. */
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

/** Looks terms up in records that lie one after the other in one memory. */
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

  /** What the last `find` found, pair by pair: the term's place in its `numbers`, and the passage's in its document. */
  get found(): { readonly terms: Uint32Array; readonly passages: Uint32Array } {
    return this.#found;
  }

  /**
   * Finds the passages that hold the terms `numbers` (ascending), by the record in words `start` to `stop` (excluded),
   * of a document of so many passages. Returns how many pairs `found` holds then: by term, the passages ascending.
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

  /** Calls back for each passage of each term of a record: the term's number, the passage's place in its document. */
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

/** The words as units of so many bytes. */
function unitsOf(words: Uint32Array, width: number): Uint8Array | Uint16Array | Uint32Array {
  if (width === 4) return words;
  const { buffer, byteOffset, byteLength } = words;
  return width === 1
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint16Array(buffer, byteOffset, byteLength / 2);
}
