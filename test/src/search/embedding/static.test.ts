import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { staticEmbedder } from '../../../../src/search/embedding/static.ts';
import { embedderContract } from '../../../contracts/embedder.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TINY, writeStaticModel } from './tiny-model.ts';

const folder = temporaryFolder();
const tiny = writeStaticModel(join(folder, 'tiny'));
const shipped = fileURLToPath(new URL('../../../../models/static', import.meta.url));

embedderContract(() => staticEmbedder(tiny), { words: ['reading', 'pdf'], unknown: 'zebra' });

describe('staticEmbedder', () => {
  it('takes the mean of the tokens, each with its scale, at unit length', async () => {
    const embedder = await staticEmbedder(tiny);
    // read (1, 0) + ##ing (0, 1) + pdf (0, −2) = (1, −1), of length √2.
    const [x, y] = await embedder.embedQuery('Reading pdf');
    expect(x).toBeCloseTo(1 / Math.SQRT2, 6);
    expect(y).toBeCloseTo(-1 / Math.SQRT2, 6);
    // read twice, a comma (1, 1), an unknown word (0, 0): (3, 1), of length √10.
    const [u, v] = await embedder.embedPassages(['read, read zebra']);
    expect(u).toBeCloseTo(3 / Math.sqrt(10), 6);
    expect(v).toBeCloseTo(1 / Math.sqrt(10), 6);
  });

  it('gives zeros if the tokens cancel out', async () => {
    const embedder = await staticEmbedder(tiny);
    // pdf (0, −2) and twice a quote (0, 1).
    expect([...(await embedder.embedQuery('pdf " "'))]).toEqual([0, 0]);
  });

  it('counts no more than the first 8,192 tokens', async () => {
    const embedder = await staticEmbedder(tiny);
    const vector = await embedder.embedQuery(`${'read '.repeat(8192)}${'pdf '.repeat(9000)}`);
    expect([...vector]).toEqual([1, 0]);
  });

  it('gives the vectors that the shipped model’s training computed', async () => {
    const embedder = await staticEmbedder(shipped);
    const fixtures = JSON.parse(readFileSync(join(shipped, 'fixtures.json'), 'utf8')) as {
      text: string;
      head: number[];
    }[];
    for (const { text, head } of fixtures) {
      const vector = await embedder.embedQuery(text);
      head.forEach((value, at) => {
        expect(vector[at]).toBeCloseTo(value, 5);
      });
    }
  });

  it('reports a missing file', async () => {
    await expect(staticEmbedder(join(folder, 'none'))).rejects.toMatchObject({ code: 'MODEL_MISSING' });
  });

  it('refuses a file that is truncated, or damaged between header and table', async () => {
    const path = join(writeStaticModel(join(folder, 'damaged')), 'model.safetensors');
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += 7) {
      writeFileSync(path, whole.subarray(0, at));
      await expect(staticEmbedder(join(folder, 'damaged'))).rejects.toMatchObject({ code: 'MODEL_INVALID' });
    }
    // 14 bytes of table: its pages are checked when they are read.
    for (let at = 8 + whole.readUInt32LE(0); at < whole.length - 14; at += 1) {
      writeFileSync(
        path,
        Uint8Array.from(whole, (byte, place) => (place === at ? byte ^ 16 : byte)),
      );
      await expect(staticEmbedder(join(folder, 'damaged')), `byte ${at}`).rejects.toMatchObject({
        code: 'MODEL_INVALID',
      });
    }
  });

  it('refuses a vocabulary longer than the table', async () => {
    const other = writeStaticModel(join(folder, 'other'), { pieces: [...Object.keys(TINY), 'extra'] });
    await expect(staticEmbedder(other)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  it('refuses a changed row, and no other', async () => {
    // 8 dimensions, as SIMD needs, and 18 tokens, all ones: the last two are in a page of their own.
    const large = writeStaticModel(join(folder, 'large'), {
      pieces: ['[UNK]', ...Array.from({ length: 17 }, (_, at) => `w${at}`)],
      emb: new Int8Array(144).fill(1),
      scale: new Float32Array(18).fill(1),
    });
    const path = join(large, 'model.safetensors');
    const bytes = readFileSync(path);
    bytes[bytes.length - 1] = 0;
    writeFileSync(path, bytes);
    const embedder = await staticEmbedder(large);
    expect((await embedder.embedQuery('w0'))[0]).toBeCloseTo(1 / Math.sqrt(8), 6);
    await expect(embedder.embedQuery('w16')).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });
});

describe('the shipped model', () => {
  embedderContract(() => staticEmbedder(shipped), { words: ['deploy to kubernetes', 'fill in a PDF form'] });
});
