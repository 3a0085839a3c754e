/**
 * Columns of several segments → those of one, without the documents that died. Nothing is analysed again: counts
 * and lengths are stored, so the impacts come out as if all texts had been built together.
 */

import { averagesOf, BM25F, type Bm25fParameters, type FieldAverages, WIDTH, weigh } from './bm25f.ts';
import type { LexicalColumns } from './columns.ts';
import { decodePassage, PassageRecords } from './forward.ts';
import { GrowingUint32 } from './growing.ts';

export interface ColumnsPart {
  /** All columns filled, those too that a search does without. */
  readonly columns: LexicalColumns;
  /** New number of each document, or −1 for a dead one. Ascending, over all parts in their order. */
  readonly keep: Int32Array;
}

/**
 * Joins parts into `documents` documents. Linear in postings and records. `averages` are those of the kept
 * documents where not given. Throws RangeError where the numbers of `keep` are not 0 to `documents` − 1 in order.
 */
export function mergeColumns(
  parts: readonly ColumnsPart[],
  documents: number,
  averages?: FieldAverages,
  parameters: Bm25fParameters = BM25F,
): LexicalColumns {
  checkOrder(parts, documents);
  const { hashes, renumbered } = mergeTerms(parts);
  const lengths = mergeLengths(parts, documents);
  const inverted = mergePostings(parts, renumbered, hashes.length / 2);
  const { postings, frequencies } = inverted;
  return {
    documents,
    hashes,
    ...inverted,
    ...weigh(postings, frequencies, lengths, averages ?? averagesOf(lengths), parameters),
    lengths,
    ...mergePassages(parts, renumbered, documents),
  };
}

function checkOrder(parts: readonly ColumnsPart[], documents: number): void {
  let next = 0;
  for (const { keep } of parts)
    for (const number of keep) {
      if (number < 0) continue;
      if (number !== next)
        throw new RangeError(`Merged documents must be numbered in order: ${next}, not ${number}.`);
      next += 1;
    }
  if (next !== documents) throw new RangeError(`${next} documents are kept, ${documents} were announced.`);
}

/** Hashes of all terms that a living document holds, and for each part the new number of each term or −1. */
function mergeTerms(parts: readonly ColumnsPart[]): { hashes: Uint32Array; renumbered: Int32Array[] } {
  const renumbered = parts.map(({ columns }) => new Int32Array(columns.offsets.length - 1).fill(-1));
  const cursors = parts.map((part) => nextLiving(part, 0));
  const merged = new GrowingUint32();
  for (;;) {
    // A handful of parts: looking at each is faster than a heap.
    let high = -1;
    let low = -1;
    for (let part = 0; part < parts.length; part += 1) {
      const at = 2 * cursors[part]!;
      const { hashes } = parts[part]!.columns;
      if (at >= hashes.length) continue;
      if (high < 0 || hashes[at]! < high || (hashes[at] === high && hashes[at + 1]! < low)) {
        high = hashes[at]!;
        low = hashes[at + 1]!;
      }
    }
    if (high < 0) return { hashes: merged.view().slice(), renumbered };
    const number = merged.length / 2;
    merged.push(high);
    merged.push(low);
    for (let part = 0; part < parts.length; part += 1) {
      const { hashes } = parts[part]!.columns;
      const at = cursors[part]!;
      if (hashes[2 * at] !== high || hashes[2 * at + 1] !== low) continue;
      renumbered[part]![at] = number;
      cursors[part] = nextLiving(parts[part]!, at + 1);
    }
  }
}

/** First term from `from` on that a living document of the part holds. */
function nextLiving({ columns, keep }: ColumnsPart, from: number): number {
  const { offsets, postings } = columns;
  for (let term = from; term + 1 < offsets.length; term += 1)
    for (let at = offsets[term]!; at < offsets[term + 1]!; at += 1)
      if (keep[postings[at]!]! >= 0) return term;
  return offsets.length - 1;
}

function mergeLengths(parts: readonly ColumnsPart[], documents: number): Uint32Array {
  const lengths = new Uint32Array(documents * WIDTH);
  for (const { columns, keep } of parts)
    keep.forEach((number, local) => {
      if (number >= 0)
        lengths.set(columns.lengths.subarray(WIDTH * local, WIDTH * (local + 1)), WIDTH * number);
    });
  return lengths;
}

function mergePostings(
  parts: readonly ColumnsPart[],
  renumbered: readonly Int32Array[],
  terms: number,
): { offsets: Uint32Array; postings: Uint32Array; frequencies: Uint8Array } {
  const offsets = new Uint32Array(terms + 1);
  eachPosting(parts, renumbered, (term) => {
    offsets[term + 1]! += 1;
  });
  for (let term = 0; term < terms; term += 1) offsets[term + 1]! += offsets[term]!;
  const next = offsets.slice();
  const postings = new Uint32Array(offsets[terms]!);
  const frequencies = new Uint8Array(postings.length * WIDTH);
  eachPosting(parts, renumbered, (term, document, columns, at) => {
    const place = next[term]!++;
    postings[place] = document;
    for (let field = 0; field < WIDTH; field += 1)
      frequencies[WIDTH * place + field] = columns.frequencies[WIDTH * at + field]!;
  });
  return { offsets, postings, frequencies };
}

/** Calls back for each posting of a living document with its new numbers and its old place. */
function eachPosting(
  parts: readonly ColumnsPart[],
  renumbered: readonly Int32Array[],
  visit: (term: number, document: number, columns: LexicalColumns, at: number) => void,
): void {
  parts.forEach(({ columns, keep }, part) => {
    const { offsets, postings } = columns;
    for (let term = 0; term + 1 < offsets.length; term += 1)
      for (let at = offsets[term]!; at < offsets[term + 1]!; at += 1) {
        const document = keep[postings[at]!]!;
        if (document >= 0) visit(renumbered[part]![term]!, document, columns, at);
      }
  });
}

/** Records keep their order of terms, since old and new numbers both follow the hashes. */
function mergePassages(
  parts: readonly ColumnsPart[],
  renumbered: readonly Int32Array[],
  documents: number,
): { passageStart: Uint32Array; forwardOffsets: Float64Array; forward: Uint8Array } {
  const passageStart = new Uint32Array(documents + 1);
  for (const { columns, keep } of parts)
    keep.forEach((number, local) => {
      if (number >= 0)
        passageStart[number + 1] = columns.passageStart[local + 1]! - columns.passageStart[local]!;
    });
  for (let at = 0; at < documents; at += 1) passageStart[at + 1]! += passageStart[at]!;
  const records = new PassageRecords();
  parts.forEach(({ columns, keep }, part) => {
    const numbers = renumbered[part]!;
    keep.forEach((number, local) => {
      if (number < 0) return;
      for (
        let passage = columns.passageStart[local]!;
        passage < columns.passageStart[local + 1]!;
        passage += 1
      ) {
        const { forward, forwardOffsets } = columns;
        const record = forward.subarray(forwardOffsets[passage]!, forwardOffsets[passage + 1]!);
        records.push(decodePassage(record).map((term) => numbers[term]!));
      }
    });
  });
  return { passageStart, ...records.finish() };
}
