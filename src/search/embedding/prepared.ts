/**
 * The static model in a form that opens quickly: the vocabulary as arrays that are searched directly, and the
 * table's position in the ONNX file, so that rows are read when needed. `build.js` makes it from the model's
 * folder. Without it, or if the folder has changed, the model is read from its own files, which takes 50 ms more
 * CPU. Both ways give bitwise equal vectors.
 *
 * head's length (4) │ CRC-32 of what follows (4) │ head (JSON, padded to a multiple of 4) │ arrays, in the head's
 * order
 */

import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ModelError } from './errors.ts';
import { type TokenSum, tokenSum } from './sum.ts';
import type { EmbeddingTable, TableInFile } from './tables.ts';
import { Vocabulary } from './vocabulary.ts';
import { WordPiece } from './wordpiece.ts';

export const TOKENIZER = 'tokenizer.json';
export const ONNX = join('onnx', 'model_quantized.onnx');

const VERSION = 1;
const PREFIX_BYTES = 8;
/** Rows of the table that share a checksum and are read together. */
const PAGE_ROWS = 16;

/** The parts of an embedder. */
export interface StaticModel {
  readonly id: string;
  readonly dimensions: number;
  readonly wordPiece: WordPiece;
  readonly tokens: TokenSum;
}

/** The model as read from its own files. */
export interface ModelInFiles {
  readonly id: string;
  readonly wordPiece: WordPiece;
  readonly table: TableInFile;
  readonly tokenizer: Uint8Array;
  readonly onnx: Uint8Array;
}

interface Head {
  readonly version: number;
  readonly id: string;
  /** CRC-32 of the tokenizer's file, which must be unchanged when the model is opened, like the scales. */
  readonly tokenizer: number;
  /** The ONNX file's size, and the positions of the two tensors in it, bytes. */
  readonly onnx: { readonly size: number; readonly values: number; readonly scales: number };
  readonly rows: number;
  readonly dimensions: number;
  readonly unknown: string;
  readonly maxWordChars: number;
  readonly longest: number;
  /** Lengths of the arrays, in elements. */
  readonly lengths: readonly [
    scales: number,
    pages: number,
    ends: number,
    hashes: number,
    slots: number,
    bytes: number,
  ];
}

/** The file's contents; deterministic for a model. */
export function prepared({ id, wordPiece, table, tokenizer, onnx }: ModelInFiles): Uint8Array {
  const { vocabulary, unknown, maxWordChars } = wordPiece;
  const { rows, dimensions, values, scales, scaleBytes } = table;
  const pageBytes = PAGE_ROWS * dimensions;
  const pages = Uint32Array.from({ length: Math.ceil(rows / PAGE_ROWS) }, (_, page) =>
    crc32(bytesOf(values.subarray(page * pageBytes, (page + 1) * pageBytes))),
  );
  const { ends, hashes, slots, bytes } = vocabulary.columns;
  const head: Head = {
    version: VERSION,
    id,
    tokenizer: crc32(tokenizer),
    onnx: {
      size: onnx.length,
      values: values.byteOffset - onnx.byteOffset,
      scales: scaleBytes.byteOffset - onnx.byteOffset,
    },
    rows,
    dimensions,
    unknown,
    maxWordChars,
    longest: vocabulary.longest,
    lengths: [scales.length, pages.length, ends.length, hashes.length, slots.length, bytes.length],
  };
  const json = Buffer.from(JSON.stringify(head));
  const padding = Buffer.alloc(-json.length & 3, ' ');
  const body = Buffer.concat([json, padding, ...[scales, pages, ends, hashes, slots, bytes].map(bytesOf)]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(json.length + padding.length, 0);
  prefix.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([prefix, body]);
}

/** Opens the model in `folder` with the data in `file`; null if `file` is missing or was made from other files. */
export function openPrepared(folder: string, file: string): StaticModel | null {
  try {
    return read(folder, readFileSync(file));
  } catch {
    // Whatever the error is, reading the model itself reports it better.
    return null;
  }
}

function read(folder: string, file: Buffer): StaticModel | null {
  if (crc32(file.subarray(PREFIX_BYTES)) !== file.readUInt32LE(4)) return null;
  const start = PREFIX_BYTES + file.readUInt32LE(0);
  // The checksum is right, so this is what `prepared` wrote.
  const head = JSON.parse(file.toString('utf8', PREFIX_BYTES, start)) as Head;
  if (head.version !== VERSION || crc32(readFileSync(join(folder, TOKENIZER))) !== head.tokenizer)
    return null;
  const [scales, pages, ends, hashes, slots, bytes] = head.lengths;
  let at = file.byteOffset + start;
  const place = (elements: number) => {
    at += 4 * elements;
    return [file.buffer as ArrayBuffer, at - 4 * elements, elements] as const;
  };
  const table = tableIn(
    join(folder, ONNX),
    head,
    new Float32Array(...place(scales)),
    new Uint32Array(...place(pages)),
  );
  if (table === null) return null;
  const columns = {
    ends: new Uint32Array(...place(ends)),
    hashes: new Int32Array(...place(hashes)),
    slots: new Uint32Array(...place(slots)),
    bytes: new Uint8Array(file.buffer, at, bytes),
  };
  const wordPiece = new WordPiece(new Vocabulary(columns, head.longest), head.unknown, head.maxWordChars);
  return { id: head.id, dimensions: head.dimensions, wordPiece, tokens: tokenSum(table) };
}

/**
 * The table in the ONNX file. The file stays open, so rows can still be read after an update replaces it. Null if
 * its size or scales differ, as after a new training.
 */
function tableIn(
  path: string,
  { onnx, rows, dimensions }: Head,
  scales: Float32Array,
  pages: Uint32Array,
): EmbeddingTable | null {
  const file = openSync(path, 'r');
  const found = new Uint8Array(scales.byteLength);
  readSync(file, found, 0, found.length, onnx.scales);
  if (fstatSync(file).size !== onnx.size || Buffer.compare(found, bytesOf(scales)) !== 0) {
    closeSync(file);
    return null;
  }
  const bytes = new Uint8Array(PAGE_ROWS * dimensions);
  return {
    rows,
    dimensions,
    scales,
    readRow(row, values) {
      const page = Math.floor(row / PAGE_ROWS);
      const first = page * PAGE_ROWS;
      const read = bytes.subarray(0, Math.min(PAGE_ROWS, rows - first) * dimensions);
      readSync(file, read, 0, read.length, onnx.values + first * dimensions);
      if (crc32(read) !== pages[page])
        throw new ModelError('MODEL_INVALID', `${path} has changed or is damaged: reinstall skillgate.`);
      bytesOf(values).set(read.subarray((row - first) * dimensions, (row - first + 1) * dimensions));
    },
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: NodeJS.TypedArray) =>
  new Uint8Array(buffer, byteOffset, byteLength);
