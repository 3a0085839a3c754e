import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { staticEmbedder } from '../../../../src/search/embedding/static.ts';
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

const folder = temporaryFolder();
const tiny = writeTinyModel(join(folder, 'tiny'));
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

  it('changes its id with the table or the vocabulary', async () => {
    const { id } = await staticEmbedder(tiny);
    const table = writeTinyModel(join(folder, 'table'), tinyOnnx([tinyScale, tinyEmb]));
    const words = writeTinyModel(join(folder, 'words'));
    writeFileSync(join(words, 'tokenizer.json'), tinyTokenizer({ ...TINY_VOCABULARY, read: 4, pdf: 2 }));
    expect(id).toMatch(/^tiny-2@/);
    expect((await staticEmbedder(table)).id).not.toBe(id);
    expect((await staticEmbedder(words)).id).not.toBe(id);
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

  it('reports the missing file', async () => {
    await expect(staticEmbedder(join(folder, 'none'))).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    const half = writeTinyModel(join(folder, 'half'));
    rmSync(join(half, 'tokenizer.json'));
    await expect(staticEmbedder(half)).rejects.toThrow('tokenizer.json');
  });

  it('refuses a folder with another kind of model, or with mismatched parts', async () => {
    const other = writeTinyModel(join(folder, 'other'));
    const refusal = { code: 'MODEL_INVALID' };
    writeFileSync(join(other, 'tokenizer.json'), tinyTokenizer({ ...TINY_VOCABULARY, extra: 7 }));
    await expect(staticEmbedder(other)).rejects.toMatchObject(refusal);
    for (const config of ['{"model_type": "bert"}', 'nonsense', 'null']) {
      writeFileSync(join(other, 'config.json'), config);
      await expect(staticEmbedder(other)).rejects.toMatchObject(refusal);
    }
  });
});

describe('the shipped model', () => {
  embedderContract(() => staticEmbedder(shipped), { words: ['deploy to kubernetes', 'fill in a PDF form'] });
});
