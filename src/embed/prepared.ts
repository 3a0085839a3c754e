/**
 * The static model as a start wants it: its vocabulary as the arrays that are searched, and where in the ONNX file the
 * table lies, so that it is read to where it is used. Made of the model's folder by `build.js`; without it, or where the
 * folder is another one, the model is read as it is, 50 ms of CPU later. What is made and what is read agree to the bit.
 *
 *   head's length (4) │ CRC-32 of what follows (4) │ head (JSON, to a multiple of 4) │ arrays, in the head's order
 */

import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type TokenSum, tokenSum } from './sum.ts';
import type { TableInFile } from './tables.ts';
import { Vocabulary } from './vocabulary.ts';
import { WordPiece } from './wordpiece.ts';

export const TOKENIZER = 'tokenizer.json';
export const ONNX = join('onnx', 'model_quantized.onnx');

const VERSION = 1;
const PREFIX_BYTES = 8;

/** What an embedder is made of. */
export interface StaticModel {
  readonly id: string;
  readonly dimensions: number;
  readonly wordPiece: WordPiece;
  readonly tokens: TokenSum;
}

/** What is prepared: the model as it was read from its files. */
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
  /** CRC-32 of the files, which must be the same when the model is opened. */
  readonly tokenizer: number;
  readonly onnx: { readonly bytes: number; readonly crc32: number };
  readonly rows: number;
  readonly dimensions: number;
  /** Where the table begins in the ONNX file, bytes. */
  readonly offset: number;
  readonly unknown: string;
  readonly maxWordChars: number;
  readonly longest: number;
  /** Lengths of the arrays, in elements. */
  readonly lengths: readonly [scales: number, ends: number, hashes: number, slots: number, bytes: number];
}

/** The file's contents: the same for the same model, always. */
export function prepared({ id, wordPiece, table, tokenizer, onnx }: ModelInFiles): Uint8Array {
  const { vocabulary, unknown, maxWordChars } = wordPiece;
  const { rows, dimensions, values, scales } = table;
  const { ends, hashes, slots, bytes } = vocabulary.columns;
  const head: Head = {
    version: VERSION,
    id,
    tokenizer: crc32(tokenizer),
    onnx: { bytes: onnx.length, crc32: crc32(bytesOf(values)) },
    rows,
    dimensions,
    offset: values.byteOffset - onnx.byteOffset,
    unknown,
    maxWordChars,
    longest: vocabulary.longest,
    lengths: [scales.length, ends.length, hashes.length, slots.length, bytes.length],
  };
  const json = Buffer.from(JSON.stringify(head));
  const padding = Buffer.alloc(-json.length & 3, ' ');
  const body = Buffer.concat([json, padding, ...[scales, ends, hashes, slots, bytes].map(bytesOf)]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(json.length + padding.length, 0);
  prefix.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([prefix, body]);
}

/** The model in `folder`, by what `file` holds; null where that was not made of this folder as it is, or is not there. */
export function openPrepared(folder: string, file: string): StaticModel | null {
  try {
    return read(folder, readFileSync(file));
  } catch {
    // Whatever it is, the model itself tells it better.
    return null;
  }
}

function read(folder: string, file: Buffer): StaticModel | null {
  if (crc32(file.subarray(PREFIX_BYTES)) !== file.readUInt32LE(4)) return null;
  const start = PREFIX_BYTES + file.readUInt32LE(0);
  // The checksum holds: this is what `prepared` wrote.
  const head = JSON.parse(file.toString('utf8', PREFIX_BYTES, start)) as Head;
  if (head.version !== VERSION || crc32(readFileSync(join(folder, TOKENIZER))) !== head.tokenizer)
    return null;
  const [scales, ends, hashes, slots, bytes] = head.lengths;
  let at = file.byteOffset + start;
  const place = (elements: number) => {
    at += 4 * elements;
    return [file.buffer as ArrayBuffer, at - 4 * elements, elements] as const;
  };
  const { rows, dimensions } = head;
  const tokens = tokenSum({
    rows,
    dimensions,
    scales: new Float32Array(...place(scales)),
    readInto: (values) => readTable(join(folder, ONNX), head, bytesOf(values)),
  });
  const columns = {
    ends: new Uint32Array(...place(ends)),
    hashes: new Int32Array(...place(hashes)),
    slots: new Uint32Array(...place(slots)),
    bytes: new Uint8Array(file.buffer, at, bytes),
  };
  const wordPiece = new WordPiece(new Vocabulary(columns, head.longest), head.unknown, head.maxWordChars);
  return { id: head.id, dimensions, wordPiece, tokens };
}

/** Throws where the file is not the one that was prepared. */
function readTable(path: string, { onnx, offset }: Head, values: Uint8Array): void {
  const descriptor = openSync(path, 'r');
  try {
    if (fstatSync(descriptor).size !== onnx.bytes) throw new RangeError(`${path} has another size.`);
    const count = readSync(descriptor, values, 0, values.length, offset);
    if (count !== values.length || crc32(values) !== onnx.crc32)
      throw new RangeError(`${path} holds another table.`);
  } finally {
    closeSync(descriptor);
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: NodeJS.TypedArray) =>
  new Uint8Array(buffer, byteOffset, byteLength);
