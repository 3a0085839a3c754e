/** The terms of several segments as one ascending list, and where each of their posting lists goes. */

import type { ColumnsPart } from './columns.ts';
import { GrowingUint32 } from './growing.ts';

/** Posting lists in their new order: by term, then by part. */
export interface ListOrder {
  readonly length: number;
  /** Of each list: its part, and its term's number there. */
  readonly parts: Uint32Array;
  readonly terms: Uint32Array;
}

export interface MergedTerms {
  /** Hashes of all terms that a living document holds. */
  readonly hashes: Uint32Array;
  /** First living posting of each, and at the end their number. */
  readonly offsets: Uint32Array;
  /** For each part the new number of each of its terms; −1 where only dead documents held it. */
  readonly renumbered: readonly Int32Array[];
  readonly order: ListOrder;
}

export function mergeTerms(parts: readonly ColumnsPart[]): MergedTerms {
  const renumbered = parts.map(({ columns }) => new Int32Array(columns.offsets.length - 1).fill(-1));
  const living = parts.map(livingPostings);
  const heap = new PartHeap(parts);
  const hashes = new GrowingUint32();
  const offsets = new GrowingUint32();
  const listParts = new GrowingUint32();
  const listTerms = new GrowingUint32();
  let postings = 0;
  for (let list = heap.next(); list !== null; list = heap.next()) {
    const { part, term } = list;
    const count = living[part]!(term);
    if (count === 0) continue;
    const { hashes: own } = parts[part]!.columns;
    const [high, low] = [own[2 * term]!, own[2 * term + 1]!];
    const { length } = hashes;
    if (length === 0 || hashes.get(length - 2) !== high || hashes.get(length - 1) !== low) {
      hashes.push(high);
      hashes.push(low);
      offsets.push(postings);
    }
    renumbered[part]![term] = hashes.length / 2 - 1;
    postings += count;
    listParts.push(part);
    listTerms.push(term);
  }
  offsets.push(postings);
  return {
    hashes: hashes.view().slice(),
    offsets: offsets.view().slice(),
    renumbered,
    order: { length: listParts.length, parts: listParts.view(), terms: listTerms.view() },
  };
}

/** How many living documents hold a term of the part. Terms are asked for in ascending order. */
function livingPostings({ columns, keep, read }: ColumnsPart): (term: number) => number {
  const { offsets } = columns;
  if (keep.every((number) => number >= 0)) return (term) => offsets[term + 1]! - offsets[term]!;
  return (term) => {
    const documents = numbersOf(read('postings', 4 * offsets[term]!, 4 * offsets[term + 1]!));
    return documents.reduce((sum, document) => sum + Number(keep[document]! >= 0), 0);
  };
}

/** Bytes of a long column as the numbers that they are. */
export const numbersOf = (bytes: Uint8Array) =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);

/** A binary heap of the parts, that with the lowest hash on top, of equals the first part. */
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
