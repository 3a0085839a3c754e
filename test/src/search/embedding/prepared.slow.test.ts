import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openPrepared, prepared } from '../../../../src/search/embedding/prepared.ts';
import { readModel, staticEmbedder } from '../../../../src/search/embedding/static.ts';
import { sha256Of } from '../../../../src/skills/digest.ts';
import { embedderContract } from '../../../contracts/embedder.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import {
  TINY_VOCABULARY,
  tinyEmb,
  tinyOnnx,
  tinyScale,
  tinyTokenizer,
  writeTinyModel,
} from './tiny-model.ts';

const place = temporaryFolder();
const shipped = fileURLToPath(new URL('../../../../models/static', import.meta.url));

/** A model's folder and the file prepared from it. */
async function made(name: string, model?: string) {
  const folder = model ?? writeTinyModel(join(place, name));
  const file = join(place, `${name}.bin`);
  writeFileSync(file, prepared(await readModel(folder)));
  return { folder, file };
}

/** 8 dimensions, as SIMD needs, and 18 tokens: `[UNK]`, and `w0` to `w16`, all ones. */
function largeModel(folder: string): string {
  const words = ['[UNK]', ...Array.from({ length: 17 }, (_, at) => `w${at}`)];
  const ones = (length: number) => new Uint8Array(length).fill(1);
  writeTinyModel(
    folder,
    tinyOnnx([
      { name: 'emb', dims: [18, 8], type: 3, raw: ones(144) },
      { name: 'scale', dims: [18, 1], type: 1, raw: new Uint8Array(new Float32Array(18).fill(1).buffer) },
    ]),
  );
  const vocabulary = Object.fromEntries(words.map((word, id) => [word, id]));
  writeFileSync(join(folder, 'tokenizer.json'), tinyTokenizer(vocabulary));
  return folder;
}

const ofShipped = await made('shipped', shipped);

describe('a prepared model', () => {
  embedderContract(() => staticEmbedder(shipped, ofShipped.file), {
    words: ['deploy to kubernetes', 'fill in a PDF form'],
  });

  it('gives bitwise the ids and vectors of the model it was made from', async () => {
    const quick = openPrepared(ofShipped.folder, ofShipped.file);
    const { wordPiece } = await readModel(shipped);
    const [a, b] = [await staticEmbedder(shipped), await staticEmbedder(shipped, ofShipped.file)];
    expect(b.id).toBe(a.id);
    const fixtures: { text: string; ids: number[] }[] = JSON.parse(
      readFileSync(join(shipped, 'fixtures.json'), 'utf8'),
    );
    const ids = (tokenizer: typeof wordPiece, text: string) => {
      const buffer = new Uint32Array(1_000);
      return [...buffer.subarray(0, tokenizer.encode(text, buffer))];
    };
    for (const { text, ids: expected } of fixtures) {
      expect(quick && ids(quick.wordPiece, text)).toEqual(expected);
      expect(await b.embedQuery(text)).toEqual(await a.embedQuery(text));
    }
    // As text, since toEqual compares megabytes one number at a time.
    const texts = (columns: object | undefined) =>
      Object.entries(columns ?? {}).map(([name, column]) => [
        name,
        ArrayBuffer.isView(column)
          ? `${column.byteLength} bytes: ${sha256Of(new Uint8Array(column.buffer, column.byteOffset, column.byteLength))}`
          : column,
      ]);
    expect(texts(quick?.wordPiece.vocabulary.columns)).toEqual(texts(wordPiece.vocabulary.columns));
  });

  it('is deterministic, and equals the build’s file', async () => {
    const file = readFileSync(ofShipped.file);
    expect(Buffer.compare(file, prepared(await readModel(shipped)))).toBe(0);
    const built = fileURLToPath(new URL('../../../dist/static-model.bin', import.meta.url));
    if (existsSync(built)) expect(Buffer.compare(file, readFileSync(built))).toBe(0);
  });

  it.each([
    ['another tokenizer', 'tokenizer.json', tinyTokenizer({ ...TINY_VOCABULARY, read: 4, pdf: 2 })],
    ['another table', 'onnx/model_quantized.onnx', tinyOnnx([tinyScale, tinyEmb])],
    ['no table', 'onnx/model_quantized.onnx', ''],
  ])('is not used for %s', async (_, name, content) => {
    const { folder, file } = await made('changed');
    expect(openPrepared(folder, file)).not.toBeNull();
    writeFileSync(join(folder, name), content);
    expect(openPrepared(folder, file)).toBeNull();
    const whole = await staticEmbedder(folder).catch((error: Error) => error.message);
    const quick = await staticEmbedder(folder, file).catch((error: Error) => error.message);
    expect(JSON.stringify(quick)).toBe(JSON.stringify(whole));
  });

  it('refuses a changed row, and no other', async () => {
    const { folder, file } = await made('flipped', largeModel(join(place, 'flipped')));
    const path = join(folder, 'onnx/model_quantized.onnx');
    const bytes = readFileSync(path);
    const { table, onnx } = await readModel(folder);
    // The last component of the last row, in a page of its own.
    const at = table.values.byteOffset - onnx.byteOffset + table.values.length - 1;
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(path, bytes);
    const { wordPiece, tokens } = openPrepared(folder, file)!;
    tokens.add(wordPiece.encode('w0', tokens.ids));
    expect(tokens.sum[0]).toBe(1);
    wordPiece.encode('w16', tokens.ids);
    expect(() => tokens.add(1)).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
  });

  it('is not used if it is damaged, truncated or missing', async () => {
    const { folder, file } = await made('whole');
    const whole = readFileSync(file);
    for (let size = 0; size < whole.length; size += 7) {
      writeFileSync(file, whole.subarray(0, size));
      expect(openPrepared(folder, file)).toBeNull();
    }
    for (let at = 0; at < whole.length; at += 1) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = bytes[at]! ^ 16;
      writeFileSync(file, bytes);
      expect(openPrepared(folder, file)).toBeNull();
    }
    expect(openPrepared(folder, join(place, 'none.bin'))).toBeNull();
  });

  it('works after the model’s folder was copied elsewhere', async () => {
    const { folder, file } = await made('moved');
    cpSync(folder, join(place, 'elsewhere'), { recursive: true });
    expect(openPrepared(join(place, 'elsewhere'), file)).not.toBeNull();
  });
});
