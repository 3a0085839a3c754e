/**
 * Merges the terms of several segments into one ascending list and orders their posting lists by term, then by part.
 */

import { GrowingUint32 } from '../../numbers.ts';
import type { ColumnsPart } from './columns.ts';

/** Calls `visit` once for each posting list in the new order, with its part and its term number there. */
export function eachList(parts: readonly ColumnsPart[], visit: (part: number, term: number) => void): void {
  const heap = new PartHeap(parts);
  for (let list = heap.next(); list !== null; list = heap.next()) visit(list.part, list.term);
}

/** The terms with living documents, collected while posting lists are visited. */
export class MergedTerms {
  /** By part: the new number of each term; −1 if only dead documents contained it. */
  readonly renumbered: readonly Int32Array[];
  readonly #own: readonly Uint32Array[];
  readonly #hashes = new GrowingUint32();
  readonly #offsets = new GrowingUint32();

  constructor(parts: readonly ColumnsPart[]) {
    this.#own = parts.map(({ columns }) => columns.hashes);
    this.renumbered = parts.map(({ columns }) => new Int32Array(columns.offsets.length - 1).fill(-1));
  }

  /**
   * Adds the list of `term` in `part`, which is not empty. `posting` is the overall number of its first living posting.
   */
  add(part: number, term: number, posting: number): void {
    const own = this.#own[part]!;
    const [high, low] = [own[2 * term]!, own[2 * term + 1]!];
    const { length } = this.#hashes;
    if (length === 0 || this.#hashes.get(length - 2) !== high || this.#hashes.get(length - 1) !== low) {
      this.#hashes.push(high);
      this.#hashes.push(low);
      this.#offsets.push(posting);
    }
    this.renumbered[part]![term] = this.#hashes.length / 2 - 1;
  }

  /** Hashes of all terms; first posting of each, then the total number of `postings`. */
  finish(postings: number): { readonly hashes: Uint32Array; readonly offsets: Uint32Array } {
    this.#offsets.push(postings);
    return { hashes: this.#hashes.view(), offsets: this.#offsets.view() };
  }
}

/** Bytes of a long column as numbers. */
export const numbersOf = (bytes: Uint8Array) =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);

/** A binary heap of parts: lowest hash on top, then the earliest part. */
class PartHeap {
  readonly #hashes: readonly Uint32Array[];
  readonly #at: Uint32Array;
  readonly #heap: number[] = [];

  constructor(parts: readonly ColumnsPart[]) {
    this.#hashes = parts.map(({ columns }) => columns.hashes);
    this.#at = new Uint32Array(parts.length);
    this.#hashes.forEach((hashes, part) => {
      if (hashes.length > 0) this.#heap.push(part);
    });
    for (let place = this.#heap.length >> 1; place >= 0; place -= 1) this.#sink(place);
  }

  /** The next term in order, or null after the last. */
  next(): { readonly part: number; readonly term: number } | null {
    const part = this.#heap[0];
    if (part === undefined) return null;
    const term = this.#at[part]!;
    this.#at[part] = term + 1;
    if (2 * (term + 1) === this.#hashes[part]!.length) {
      const last = this.#heap.pop()!;
      if (this.#heap.length > 0) this.#heap[0] = last;
    }
    this.#sink(0);
    return { part, term };
  }

  #sink(from: number): void {
    const heap = this.#heap;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) return;
      if (child + 1 < heap.length && this.#before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!this.#before(heap[child]!, heap[place]!)) return;
      [heap[place], heap[child]] = [heap[child]!, heap[place]!];
      place = child;
    }
  }

  #before(a: number, b: number): boolean {
    const [hashesA, hashesB] = [this.#hashes[a]!, this.#hashes[b]!];
    const [atA, atB] = [2 * this.#at[a]!, 2 * this.#at[b]!];
    if (hashesA[atA] !== hashesB[atB]) return hashesA[atA]! < hashesB[atB]!;
    if (hashesA[atA + 1] !== hashesB[atB + 1]) return hashesA[atA + 1]! < hashesB[atB + 1]!;
    return a < b;
  }
}
