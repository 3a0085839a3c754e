import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { staticEmbedder } from '../../../../src/search/embedding/static.ts';
import { transformersEmbedder } from '../../../../src/search/embedding/transformers.ts';
import { embedderContract } from '../../../contracts/embedder.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { writeStaticModel, writeTinyModel } from './tiny-model.ts';

const folder = temporaryFolder();
const tiny = writeTinyModel(join(folder, 'tiny'));

embedderContract(() => transformersEmbedder(tiny), { words: ['reading', 'pdf'], unknown: 'zebra' });

describe('transformersEmbedder on real models', () => {
  it('gives a model the vectors of the static embedder', async () => {
    const texts = ['read', 'Reading, pdf', 'zebra "read"', 'read '.repeat(300)];
    const ours = await (await staticEmbedder(writeStaticModel(join(folder, 'static')))).embedPassages(texts);
    const theirs = await (await transformersEmbedder(tiny)).embedPassages(texts);
    ours.forEach((value, at) => {
      expect(theirs[at]).toBeCloseTo(value, 5);
    });
  });

  it('downloads nothing for a folder, and reports what is missing', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const onDownload = vi.fn();
    await transformersEmbedder(tiny, { onDownload });
    expect(onDownload).not.toHaveBeenCalled();
    await expect(transformersEmbedder(empty)).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    writeFileSync(join(empty, 'config.json'), '{}');
    await expect(transformersEmbedder(empty)).rejects.toThrow(
      'has no tokenizer.json. It contains config.json.',
    );
    for (const path of ['./nowhere', '/nowhere/at/all', 'no/such/folder', '~/models'])
      await expect(transformersEmbedder(path)).rejects.toMatchObject({ code: 'MODEL_MISSING' });
  });

  it('has another id for other weights', async () => {
    const other = writeTinyModel(join(folder, 'other', 'tiny'));
    const { id } = await transformersEmbedder(tiny);
    expect((await transformersEmbedder(other)).id).toBe(id);
    const changed = writeTinyModel(join(folder, 'changed', 'tiny'));
    // A field of the network that changes no vector: the name of its producer, x.
    appendFileSync(join(changed, 'onnx', 'model_quantized.onnx'), Uint8Array.of(0x12, 1, 0x78));
    expect((await transformersEmbedder(changed)).id).not.toBe(id);
  });
});

/** A stub of the package's tensor. */
class Tensor {
  readonly type: string;
  readonly data: ArrayLike<number | bigint>;
  readonly dims: readonly number[];
  constructor(type: string, data: ArrayLike<number | bigint>, dims: readonly number[]) {
    this.type = type;
    this.data = data;
    this.dims = dims;
  }
  to(type: string) {
    return new Tensor(type, Float32Array.from(this.data as ArrayLike<number>), this.dims);
  }
}

describe('transformersEmbedder on any model', () => {
  afterEach(() => {
    vi.doUnmock('@huggingface/transformers');
    vi.resetModules();
  });

  /** Opens `model` with a package whose networks return `output`; records the requests. */
  async function openWith(
    model: string,
    output: (texts: readonly string[]) => Record<string, Tensor>,
    options: { fail?: Error } = {},
  ) {
    const asked: string[][] = [];
    vi.resetModules();
    vi.doMock('@huggingface/transformers', () => ({
      env: {},
      LogLevel: { ERROR: 40 },
      Tensor,
      AutoTokenizer: {
        from_pretrained:
          async () =>
          (texts: string[], { max_length }: { max_length: number }) => {
            expect(max_length).toBe(512);
            asked.push(texts);
            return {
              input_ids: new Tensor('int64', [], [texts.length, 2]),
              attention_mask: new Tensor(
                'int64',
                texts.flatMap(() => [1n, 1n]),
                [texts.length, 2],
              ),
            };
          },
      },
      AutoModel: {
        from_pretrained: async () => {
          if (options.fail) throw options.fail;
          return async () => output(asked.at(-1)!);
        },
      },
    }));
    const fresh = await import('../../../../src/search/embedding/transformers.ts');
    return { embedder: await fresh.transformersEmbedder(model), asked };
  }
  /** Two tokens for each text: (length of the text, 0) and (0, 1). */
  const hidden = (texts: readonly string[], type = 'float32') => ({
    last_hidden_state: new Tensor(type, Float32Array.from(texts.flatMap(({ length }) => [length, 0, 0, 1])), [
      texts.length,
      2,
      2,
    ]),
  });

  it('prefixes queries and passages as the family needs', async () => {
    const { embedder, asked } = await openWith('Xenova/e5-small-v2', hidden);
    await embedder.embedQuery('one');
    await embedder.embedPassages(['two']);
    expect(asked.slice(1)).toEqual([['query: one'], ['passage: two']]);
    expect(embedder.id).toMatch(/^Xenova\/e5-small-v2:q8:mean@[0-9a-f]{12}$/);
  });

  it('pools as the family needs', async () => {
    const first = await openWith('Xenova/bge-m3', hidden);
    expect([...(await first.embedder.embedPassages(['abc']))]).toEqual([1, 0]);
    const last = await openWith('onnx-community/Qwen3-Embedding-0.6B-ONNX', hidden);
    expect([...(await last.embedder.embedPassages(['abc']))]).toEqual([0, 1]);
  });

  it('accepts models that pool by themselves, and half precision', async () => {
    const { embedder } = await openWith('onnx-community/embeddinggemma-300m-ONNX', (texts) => ({
      ...hidden(texts),
      sentence_embedding: new Tensor(
        'float16',
        texts.flatMap(() => [3, 4]),
        [texts.length, 2],
      ),
    }));
    const vector = await embedder.embedPassages(['abc']);
    expect(vector[0]).toBeCloseTo(0.6, 6);
    expect(vector[1]).toBeCloseTo(0.8, 6);
  });

  it('runs texts of similar length together, sixteen at a time, and returns them in order', async () => {
    const { embedder, asked } = await openWith('Xenova/bge-m3', (texts) => ({
      last_hidden_state: new Tensor(
        'float32',
        Float32Array.from(texts.flatMap(({ length }) => [length, 1, 0, 0])),
        [texts.length, 2, 2],
      ),
    }));
    const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(((at * 7) % 40) + 1));
    const vectors = await embedder.embedPassages(texts);
    expect(asked.slice(1).map((batch) => batch.length)).toEqual([16, 16, 8]);
    expect(asked[1]!.map(({ length }) => length)).toEqual(Array.from({ length: 16 }, (_, at) => at + 1));
    texts.forEach(({ length }, at) => {
      // The vector (length, 1): its slope is the length.
      expect(vectors[2 * at]! / vectors[2 * at + 1]!).toBeCloseTo(length, 2);
    });
  });

  it('refuses models that return NaN or no embeddings', async () => {
    const nan = openWith('some/model', (texts) => ({
      last_hidden_state: new Tensor('float32', new Float32Array(texts.length * 4).fill(Number.NaN), [
        texts.length,
        2,
        2,
      ]),
    }));
    await expect(nan).rejects.toMatchObject({ code: 'MODEL_OUTPUT' });
    const none = openWith('some/model', (texts) => ({
      logits: new Tensor('float32', [1], [texts.length, 1]),
    }));
    await expect(none).rejects.toMatchObject({ code: 'MODEL_OUTPUT' });
  });

  it('says what to do if the model cannot be loaded', async () => {
    const failed = openWith('some/model', hidden, { fail: new Error('Unauthorized access to file') });
    await expect(failed).rejects.toMatchObject({
      code: 'MODEL_MISSING',
      message: expect.stringMatching(/Unauthorized access to file.*pass --embedder a folder/),
    });
  });

  it('says what to install if the package is missing', async () => {
    vi.resetModules();
    vi.doMock('@huggingface/transformers', () => {
      throw new Error('Cannot find package');
    });
    const fresh = await import('../../../../src/search/embedding/transformers.ts');
    await expect(fresh.transformersEmbedder('some/model')).rejects.toMatchObject({
      code: 'MODEL_PACKAGE',
      message: expect.stringContaining('npm install @huggingface/transformers'),
    });
  });
});
