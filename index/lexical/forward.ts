/**
 * Forward records: which terms a passage holds, so that the passages of a found document can be told apart
 * without opening their text. One record is the passage's distinct term numbers, ascending, as differences in
 * LEB128 varints (7 bits a byte, the lowest first, the high bit set on all but the last).
 */

import type { LexicalQuery } from './query.ts';

/** Longest varint of a 32-bit number, bytes. */
const LONGEST_VARINT = 5;

/** How a query meets one passage. */
export interface PassageMatch {
  /** Sum of the weights of the query's terms that the passage holds, ≥ 0. */
  readonly score: number;
  /** Places in `query.terms` of those terms, ascending: in order of the query. */
  readonly terms: readonly number[];
  /** Distinct terms of the passage: a measure of its length. */
  readonly distinct: number;
}

/** Writes records one after the other. */
export class PassageRecords {
  #bytes = new Uint8Array(1 << 16);
  #end = 0;
  /** Bytes of records that were taken away. */
  #taken = 0;
  readonly #offsets: number[] = [0];

  /** Adds the record of one passage: its term numbers, ascending and distinct. */
  push(terms: Uint32Array): void {
    this.#reserve(terms.length * LONGEST_VARINT);
    let previous = 0;
    for (const term of terms) {
      let difference = term - previous;
      previous = term;
      while (difference > 0x7f) {
        this.#bytes[this.#end++] = (difference & 0x7f) | 0x80;
        difference >>>= 7;
      }
      this.#bytes[this.#end++] = difference;
    }
    this.#offsets.push(this.#taken + this.#end);
  }

  /** Bytes of the records that have not been taken. */
  get held(): number {
    return this.#end;
  }

  /** The records pushed since it was last called; valid until the next push. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#end);
    this.#taken += this.#end;
    this.#end = 0;
    return bytes;
  }

  /** Where each record begins, of all that were pushed, and where the last ends. */
  offsets(): Float64Array {
    return Float64Array.from(this.#offsets);
  }

  /** All records, where none was taken, and where each begins. */
  finish(): { readonly forwardOffsets: Float64Array; readonly forward: Uint8Array } {
    return { forwardOffsets: this.offsets(), forward: this.#bytes.slice(0, this.#end) };
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#end + bytes));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Term numbers of a record, ascending. Never throws: a damaged record yields other numbers. */
export function decodePassage(record: Uint8Array): Uint32Array {
  let count = 0;
  for (const byte of record) if (byte < 0x80) count += 1;
  const terms = new Uint32Array(count);
  let term = 0;
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    let shift = 0;
    let byte = record[at++]!;
    let difference = byte & 0x7f;
    while (byte > 0x7f) {
      byte = record[at++]!;
      shift += 7;
      difference |= (byte & 0x7f) << shift;
    }
    term += difference;
    terms[i] = term;
  }
  return terms;
}

/** How `query` meets the passage of this record, which is one of segment `segment` (its place in the search). */
export function passageMatches(query: LexicalQuery, segment: number, record: Uint8Array): PassageMatch {
  const { numbers, terms: places } = query.segments[segment]!;
  const terms: number[] = [];
  let score = 0;
  let distinct = 0;
  let wanted = 0;
  let term = 0;
  // Read as `decodePassage` does, without the array: five documents' passages are told apart for each answer.
  for (let at = 0; at < record.length; ) {
    let byte = record[at++]!;
    let difference = byte & 0x7f;
    for (let shift = 7; byte > 0x7f && at < record.length; shift += 7) {
      byte = record[at++]!;
      difference |= (byte & 0x7f) << shift;
    }
    if (byte > 0x7f) break;
    term += difference;
    distinct += 1;
    while (wanted < numbers.length && numbers[wanted]! < term) wanted += 1;
    if (wanted < numbers.length && numbers[wanted] === term) terms.push(places[wanted]!);
  }
  terms.sort((a, b) => a - b);
  for (const place of terms) score += query.terms[place]!.weight;
  return { score, terms, distinct };
}
