/**
 * Columns of several segments → columns of one, without dead documents. Nothing is analysed again: counts and lengths
 * are stored, so impacts equal those of a fresh build of all texts.
 *
 * The long columns (postings, their parallel columns, and forward records) stream through in blocks. Memory holds
 * terms, not postings.
 */

import { averagesOf, type FieldAverages, lengthFactors, WIDTH, weighBy } from './bm25f.ts';
import type { ColumnsPart, LexicalColumns } from './columns.ts';
import { ForwardRecords } from './forward.ts';
import { eachList, MergedTerms, numbersOf } from './merge-terms.ts';

type Stored = Exclude<keyof LexicalColumns, 'documents' | 'touch'>;
/** Columns with one entry per posting, and the bytes of an entry. */
const POSTING_BYTES = { postings: 4, impacts: 2, cardImpacts: 2, fields: 1, frequencies: WIDTH } as const;
type PostingColumn = keyof typeof POSTING_BYTES;

/** Receives each merged column once, whole or in blocks. */
export interface ColumnSink {
  put<K extends Stored>(column: K, values: LexicalColumns[K]): void;
  stream(column: 'forward', fill: (write: (bytes: Uint8Array) => void) => void): void;
  /** Writes columns of known sizes (bytes) in parallel, block by block. */
  together(
    sizes: Readonly<Record<PostingColumn, number>>,
    fill: (write: (column: PostingColumn, bytes: Uint8Array) => void) => void,
  ): void;
}

/** Postings per block. */
const BLOCK_POSTINGS = 1 << 15;
/** Words of forward records per write. */
const RECORDS_WORDS = 1 << 16;

/**
 * Merges parts into `documents` documents, in time linear in postings and records. Uses the mean lengths of the kept
 * documents unless `averages` is given. Throws RangeError unless the numbers in `keep` are 0 to `documents` − 1 in
 * order.
 */
export function mergeColumns(
  parts: readonly ColumnsPart[],
  documents: number,
  into: ColumnSink,
  averages?: FieldAverages,
): void {
  checkOrder(parts, documents);
  const lengths = mergeLengths(parts, documents);
  into.put('lengths', lengths);
  const factors = lengthFactors(lengths, averages ?? averagesOf(lengths));
  const terms = new MergedTerms(parts);
  const living = parts.reduce((sum, part) => sum + livingPostings(part), 0);
  const sizes = Object.fromEntries(
    Object.entries(POSTING_BYTES).map(([column, bytes]) => [column, bytes * living]),
  ) as Record<PostingColumn, number>;
  into.together(sizes, (write) => {
    eachBlock(parts, terms, (postings, frequencies) => {
      write('postings', bytesOf(postings));
      write('frequencies', frequencies);
      const weighed = weighBy(postings, frequencies, factors);
      for (const column of ['impacts', 'cardImpacts', 'fields'] as const)
        write(column, bytesOf(weighed[column]));
    });
  });
  const { hashes, offsets } = terms.finish(living);
  into.put('hashes', hashes);
  into.put('offsets', offsets);
  mergePassages(parts, terms.renumbered, documents, into);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array | Uint32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

function checkOrder(parts: readonly ColumnsPart[], documents: number): void {
  let next = 0;
  for (const { keep } of parts)
    for (const number of keep) {
      if (number < 0) continue;
      if (number !== next)
        throw new RangeError(`Merged documents must be numbered in order: ${next}, not ${number}.`);
      next += 1;
    }
  if (next !== documents) throw new RangeError(`${next} documents are kept, but ${documents} were expected.`);
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

/** Number of postings of kept documents. */
function livingPostings({ columns, keep, read }: ColumnsPart): number {
  const total = columns.offsets.at(-1)!;
  if (keep.every((number) => number >= 0)) return total;
  let living = 0;
  for (let from = 0; from < total; from += BLOCK_POSTINGS) {
    const documents = numbersOf(read('postings', 4 * from, 4 * Math.min(total, from + BLOCK_POSTINGS)));
    for (const document of documents) if (keep[document]! >= 0) living += 1;
  }
  return living;
}

/** Living postings in their new order, in blocks: new document numbers and frequencies. */
function eachBlock(
  parts: readonly ColumnsPart[],
  terms: MergedTerms,
  visit: (documents: Uint32Array, frequencies: Uint8Array) => void,
): void {
  const documents = new Uint32Array(BLOCK_POSTINGS);
  const frequencies = new Uint8Array(WIDTH * BLOCK_POSTINGS);
  let held = 0;
  let seen = 0;
  const flush = () => {
    if (held > 0) visit(documents.subarray(0, held), frequencies.subarray(0, WIDTH * held));
    held = 0;
  };
  eachList(parts, (part, term) => {
    const { columns, keep, read } = parts[part]!;
    const from = columns.offsets[term]!;
    const to = columns.offsets[term + 1]!;
    const postings = numbersOf(read('postings', 4 * from, 4 * to));
    const counts = read('frequencies', WIDTH * from, WIDTH * to);
    const first = seen;
    for (let at = 0; at < postings.length; at += 1) {
      const document = keep[postings[at]!]!;
      if (document < 0) continue;
      documents[held] = document;
      for (let field = 0; field < WIDTH; field += 1)
        frequencies[WIDTH * held + field] = counts[WIDTH * at + field]!;
      held += 1;
      seen += 1;
      if (held === BLOCK_POSTINGS) flush();
    }
    if (seen > first) terms.add(part, term, first);
  });
  flush();
}

/** Term order in a record does not change, because old and new numbers both follow the hashes. */
function mergePassages(
  parts: readonly ColumnsPart[],
  renumbered: readonly Int32Array[],
  documents: number,
  into: ColumnSink,
): void {
  const passageStart = new Uint32Array(documents + 1);
  for (const { columns, keep } of parts)
    keep.forEach((number, local) => {
      if (number >= 0)
        passageStart[number + 1] = columns.passageStart[local + 1]! - columns.passageStart[local]!;
    });
  for (let at = 0; at < documents; at += 1) passageStart[at + 1]! += passageStart[at]!;
  into.put('passageStart', passageStart);
  const records = new ForwardRecords();
  into.stream('forward', (write) => {
    parts.forEach(({ columns, keep, read }, part) => {
      const { forwardOffsets } = columns;
      const numbers = renumbered[part]!;
      keep.forEach((number, local) => {
        if (number < 0) return;
        const record = read('forward', 4 * forwardOffsets[local]!, 4 * forwardOffsets[local + 1]!);
        records.pushRenumbered(numbersOf(record), numbers);
        if (records.held >= RECORDS_WORDS) write(bytesOf(records.take()));
      });
    });
    write(bytesOf(records.take()));
  });
  into.put('forwardOffsets', records.offsets());
}
