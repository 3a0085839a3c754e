/**
 * Reads a static model from its one file. It is a safetensors file (huggingface.co/docs/safetensors: length of the
 * header, header as JSON, tensors), so training and other tools read it too; `models/train/table.py` writes it:
 *
 * - `vocabulary`, u8: WordPiece pieces, one per line; the line is the token's id. `ends`, `hashes`, `slots`, u32: its
 *   hash table (`vocabulary.ts`).
 * - `emb`, int8[rows × d], and `scale`, float32[rows]: component i of token t is `emb[t × d + i] × scale[t]`.
 * - `pages`, u32: CRC-32 of every 16 rows of `emb`, which are read when a text first needs them.
 * - metadata: `id` (name and digest of vocabulary and table), `unknown_token`, `max_word_chars`, `longest_piece` in
 *   bytes, and `crc32` of all tensors but `emb`, in the order of their names.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ModelError } from './errors.ts';
import { Vocabulary } from './vocabulary.ts';
import { WordPiece } from './wordpiece.ts';

/** Rows of int8: component i of token t is `values[t × d + i] × scales[t]`. */
export interface EmbeddingTable {
  readonly rows: number;
  readonly dimensions: number;
  /** Writes the values of one row to `values`: `Int8Array[d]`. May throw `ModelError`. */
  readonly readRow: (row: number, values: Int8Array) => void;
  /** `Float32Array[rows]`. */
  readonly scales: Float32Array;
}

export interface StaticModel {
  readonly id: string;
  readonly wordPiece: WordPiece;
  readonly table: EmbeddingTable;
}

/** Rows of the table that share a checksum and are read together. */
const PAGE_ROWS = 16;
const PREFIX_BYTES = 8;
/** Longer headers are damage: this one has seven tensors. */
const MAX_HEADER_BYTES = 65_536;

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [start: number, end: number];
}

type Header = Partial<Record<string, Tensor>> & {
  readonly __metadata__?: Readonly<Record<string, string>>;
};

/**
 * Opens the model. The file stays open, so rows can still be read after an update replaces it. Throws `MODEL_MISSING`,
 * or `MODEL_INVALID` if it is damaged or another kind of model.
 */
export function openModelFile(path: string): StaticModel {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (cause) {
    throw new ModelError('MODEL_MISSING', `The model's file ${path} cannot be read.`, {
      data: { path },
      cause,
    });
  }
  try {
    return readModel(file, path);
  } catch (error) {
    closeSync(file);
    throw error instanceof ModelError
      ? error
      : new ModelError('MODEL_INVALID', `${path} is not a static model, or damaged: reinstall skillgate.`, {
          data: { path },
          cause: error,
        });
  }
}

/** Throws any error if the file is not a model. */
function readModel(file: number, path: string): StaticModel {
  const headerBytes = Number(read(file, 0, PREFIX_BYTES).readBigUInt64LE());
  if (headerBytes > MAX_HEADER_BYTES) throw new RangeError('The header is too long.');
  // Every field used is checked below.
  const header = JSON.parse(read(file, PREFIX_BYTES, headerBytes).toString()) as Header;
  const start = PREFIX_BYTES + headerBytes;
  const { id, unknown_token: unknown, ...metadata } = header.__metadata__ ?? {};
  const maxWordChars = Number(metadata.max_word_chars);
  const longest = Number(metadata.longest_piece);
  const emb = tensorIn(header, 'emb', 'I8');
  const [rows = 0, dimensions = 0] = emb.shape;
  if (!id || !unknown || !(maxWordChars >= 1) || !(longest >= 1) || !(rows * dimensions > 0))
    throw new SyntaxError('The header lacks a part.');
  let checksum = 0;
  const load = (name: string, dtype: string) => {
    const [from, to] = tensorIn(header, name, dtype).data_offsets;
    const bytes = read(file, start + from, to - from);
    checksum = crc32(bytes, checksum);
    return bytes;
  };
  const ends = new Uint32Array(load('ends', 'U32').buffer);
  const hashes = new Int32Array(load('hashes', 'U32').buffer);
  const pages = new Uint32Array(load('pages', 'U32').buffer);
  const scales = new Float32Array(load('scale', 'F32').buffer);
  const slots = new Uint32Array(load('slots', 'U32').buffer);
  const bytes = load('vocabulary', 'U8');
  const fits =
    checksum === Number(metadata.crc32) &&
    scales.length === rows &&
    pages.length === Math.ceil(rows / PAGE_ROWS) &&
    ends.length <= rows &&
    start + emb.data_offsets[1] <= fstatSync(file).size;
  if (!fits) throw new RangeError('The parts do not fit each other.');
  const vocabulary = new Vocabulary({ bytes, ends, hashes, slots, longest });
  const at = start + emb.data_offsets[0];
  const readRow = rowReader(file, path, { rows, dimensions, pages, at });
  return {
    id,
    wordPiece: new WordPiece(vocabulary, unknown, maxWordChars),
    table: { rows, dimensions, scales, readRow },
  };
}

/** `at`: position of the table in the file. */
function rowReader(
  file: number,
  path: string,
  { rows, dimensions, pages, at }: { rows: number; dimensions: number; pages: Uint32Array; at: number },
): EmbeddingTable['readRow'] {
  const bytes = new Uint8Array(PAGE_ROWS * dimensions);
  return (row, values) => {
    const page = Math.floor(row / PAGE_ROWS);
    const first = page * PAGE_ROWS;
    const part = bytes.subarray(0, Math.min(PAGE_ROWS, rows - first) * dimensions);
    readSync(file, part, 0, part.length, at + first * dimensions);
    if (crc32(part) !== pages[page])
      throw new ModelError('MODEL_INVALID', `${path} has changed or is damaged: reinstall skillgate.`);
    values.set(new Int8Array(part.buffer, (row - first) * dimensions, dimensions));
  };
}

function tensorIn(header: Header, name: string, dtype: string): Tensor {
  const tensor = header[name];
  const width = dtype.endsWith('32') ? 4 : 1;
  const [start, end] = tensor?.data_offsets ?? [0, 0];
  const size = tensor?.shape.reduce((product, length) => product * length, width);
  if (tensor?.dtype !== dtype || size !== end - start) throw new SyntaxError(`No tensor ${name}.`);
  return tensor;
}

/** In a buffer of its own, so that numbers are aligned. */
function read(file: number, at: number, length: number): Buffer<ArrayBuffer> {
  if (!(length >= 0 && at + length <= fstatSync(file).size)) throw new RangeError('The file is too short.');
  const bytes = Buffer.from(new ArrayBuffer(length));
  readSync(file, bytes, 0, length, at);
  return bytes;
}
