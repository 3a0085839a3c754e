/** A static model small enough to check by hand, as the file of `models/static` and in the layout that transformers.js loads. */

import { mkdirSync, writeFileSync } from 'node:fs';
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
export const TINY_SCALES = [0, 0, 1 / 64, 1 / 64, 2 / 64, 1 / 64, 1 / 64];

export const tinyTokenizer = (vocab: Readonly<Record<string, unknown>>, model = {}, rest = {}) =>
  JSON.stringify({
    version: '1.0',
    added_tokens: Object.keys(vocab)
      .filter((token) => token.startsWith('['))
      .map((content) => ({
        id: vocab[content],
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
      ...model,
    },
    ...rest,
  });

export interface StaticParts {
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

const TINY_VOCABULARY = Object.fromEntries(Object.keys(TINY).map((token, id) => [token, id]));

export function writeTinyModel(folder: string, onnx = tinyOnnx()): string {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ model_type: 'bert', hidden_size: 2, skillgate: { id: 'tiny-2' } }),
  );
  writeFileSync(join(folder, 'tokenizer.json'), tinyTokenizer(TINY_VOCABULARY));
  writeFileSync(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({ tokenizer_class: 'BertTokenizer', pad_token: '[PAD]', unk_token: '[UNK]' }),
  );
  writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), onnx);
  return folder;
}

function bytesOf(array: Int8Array | Float32Array | Int32Array | Uint32Array) {
  return new Uint8Array(array.buffer);
}

export interface TinyTensor {
  readonly name: string;
  readonly dims: readonly number[];
  /** 1 float32, 3 int8. */
  readonly type: number;
  readonly raw: Uint8Array;
}

export const tinyEmb: TinyTensor = {
  name: 'emb',
  dims: [Object.keys(TINY).length, 2],
  type: 3,
  raw: bytesOf(Int8Array.from(Object.values(TINY).flat())),
};
export const tinyScale: TinyTensor = {
  name: 'scale',
  dims: [TINY_SCALES.length, 1],
  type: 1,
  raw: bytesOf(Float32Array.from(TINY_SCALES)),
};

/** input_ids → Gather(emb) → Cast → Mul(Gather(scale)) → last_hidden_state, as models/train/export.py writes it. */
export function tinyOnnx(
  tensors: readonly TinyTensor[] = [tinyEmb, tinyScale],
  packedDims = false,
): Uint8Array {
  const graph = message([
    [1, node('Gather', ['emb', 'input_ids'], 'rows')],
    [
      1,
      node(
        'Cast',
        ['rows'],
        'floats',
        message([
          [1, 'to'],
          [3, 1],
          [20, 2],
        ]),
      ),
    ],
    [1, node('Gather', ['scale', 'input_ids'], 'scales')],
    [1, node('Mul', ['floats', 'scales'], 'last_hidden_state')],
    [2, 'tiny'],
    ...tensors.map(({ name, dims, type, raw }): FieldOf => {
      const shape: FieldOf[] = packedDims
        ? [[1, Buffer.concat(dims.map(varint))]]
        : dims.map((dim): FieldOf => [1, dim]);
      return [5, message([...shape, [2, type], [8, name], [9, raw]])];
    }),
    [11, valueInfo('input_ids', 7, ['batch', 'sequence'])],
    [12, valueInfo('last_hidden_state', 1, ['batch', 'sequence', 2])],
  ]);
  return message([
    [1, 8],
    [
      8,
      message([
        [1, ''],
        [2, 13],
      ]),
    ],
    [7, graph],
  ]);
}

type FieldOf = readonly [number: number, value: number | string | Uint8Array];

function node(
  operator: string,
  inputs: readonly string[],
  output: string,
  attribute?: Uint8Array,
): Uint8Array {
  return message([
    ...inputs.map((input): FieldOf => [1, input]),
    [2, output],
    [4, operator],
    ...(attribute === undefined ? [] : [[5, attribute] as const]),
  ]);
}

function valueInfo(name: string, type: number, dims: readonly (string | number)[]): Uint8Array {
  const shape = dims.map((dim): FieldOf => [1, message([typeof dim === 'string' ? [2, dim] : [1, dim]])]);
  return message([
    [1, name],
    [
      2,
      message([
        [
          1,
          message([
            [1, type],
            [2, message(shape)],
          ]),
        ],
      ]),
    ],
  ]);
}

/** A protobuf message: numbers as varints, everything else with its length. */
export function message(fields: readonly FieldOf[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)];
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return [varint(number * 8 + 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}
