/** A static model small enough to check by hand, as the file of `models/static` and in the layout that transformers.js loads. */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  extendedHash,
  REST,
  START,
  slotOf,
  type VocabularyColumns,
} from '../../../../src/search/embedding/vocabulary.ts';

/** Tokens and their components as stored. */
export const TINY: Readonly<Record<string, readonly [number, number]>> = {
  '[PAD]': [0, 0],
  '[UNK]': [0, 0],
  read: [64, 0],
  '##ing': [0, 64],
  pdf: [0, -64],
  ',': [64, 64],
  '"': [0, 64],
};
/** Scales of the tokens: powers of two, so that sums are exact. `pdf` has twice the weight of the others. */
const TINY_SCALES = [0, 0, 1 / 64, 1 / 64, 2 / 64, 1 / 64, 1 / 64];

interface StaticParts {
  readonly pieces: readonly string[];
  readonly emb: Int8Array;
  readonly scale: Float32Array;
  readonly id?: string;
}

/** Writes `model.safetensors` to `folder`, as models/train/export.py does. */
export function writeStaticModel(folder: string, parts: Partial<StaticParts> = {}): string {
  const { pieces, emb, scale, id } = { ...TINY_PARTS, id: 'tiny-2@0123456789ab', ...parts };
  const dimensions = emb.length / scale.length;
  const { bytes: vocabulary, ends, hashes, slots, longest } = vocabularyColumns(pieces);
  const pages = Uint32Array.from({ length: Math.ceil(scale.length / 16) }, (_, page) =>
    crc32(bytesOf(emb.slice(16 * dimensions * page, 16 * dimensions * (page + 1)))),
  );
  const column = (name: string, values: Uint32Array | Int32Array) => ({
    name,
    dtype: 'U32',
    shape: [values.length],
    bytes: bytesOf(values),
  });
  const heads = [
    column('ends', ends),
    column('hashes', hashes),
    column('pages', pages),
    { name: 'scale', dtype: 'F32', shape: [scale.length], bytes: bytesOf(scale) },
    column('slots', slots),
    { name: 'vocabulary', dtype: 'U8', shape: [vocabulary.length], bytes: vocabulary },
    { name: 'emb', dtype: 'I8', shape: [scale.length, dimensions], bytes: bytesOf(emb) },
  ];
  let at = 0;
  const tensors = heads.map(({ name, dtype, shape, bytes }) => {
    at += bytes.length;
    return [name, { dtype, shape, data_offsets: [at - bytes.length, at] }];
  });
  const checksum = crc32(Buffer.concat(heads.slice(0, -1).map(({ bytes }) => bytes)));
  const metadata = {
    id,
    unknown_token: '[UNK]',
    max_word_chars: '100',
    longest_piece: `${longest}`,
    crc32: `${checksum}`,
  };
  const header = Buffer.from(JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(tensors) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'model.safetensors'),
    Buffer.concat([length, header, ...heads.map(({ bytes }) => bytes)]),
  );
  return folder;
}

/** The hash table over the pieces. */
export function vocabularyColumns(pieces: readonly string[]): VocabularyColumns {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * pieces.length)));
  const words = pieces.map((piece) =>
    piece.startsWith('##') && piece !== '##'
      ? { first: REST, bytes: Buffer.from(piece.slice(2)) }
      : { first: START, bytes: Buffer.from(piece) },
  );
  const hashes = Int32Array.from(words, ({ first, bytes }) => bytes.reduce(extendedHash, first));
  hashes.forEach((hash, id) => {
    let slot = slotOf(hash, Math.log2(slots.length));
    while (slots[slot] !== 0) slot = (slot + 1) % slots.length;
    slots[slot] = id + 1;
  });
  const bytes = Buffer.from(pieces.map((piece) => `${piece}\n`).join(''));
  const ends = Uint32Array.from(pieces, (_, id) => Buffer.byteLength(pieces.slice(0, id + 1).join('\n')));
  return { bytes, ends, hashes, slots, longest: Math.max(...words.map((word) => word.bytes.length)) };
}

const TINY_PARTS: StaticParts = {
  pieces: Object.keys(TINY),
  emb: Int8Array.from(Object.values(TINY).flat()),
  scale: Float32Array.from(TINY_SCALES),
};

/** The same model in the layout that transformers.js loads: its network is Gather(emb), Cast, times Gather(scale). */
export function writeTinyModel(folder: string): string {
  cpSync(join(import.meta.dirname, '../../../fixtures/tiny-model'), folder, { recursive: true });
  return folder;
}

function bytesOf(array: Int8Array | Float32Array | Int32Array | Uint32Array) {
  return new Uint8Array(array.buffer);
}
