import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../../index/embedder.ts';
import { cachedEmbedder } from '../../../../src/search/embedding/cache.ts';
import { embedderContract } from '../../../contracts/embedder.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

/** Records the texts it embeds. A text's vector is (its first character's code, its length) at unit length. */
class Recorder implements Embedder {
  readonly id: string;
  readonly dimensions = 2;
  readonly embedded: string[] = [];
  constructor(id = 'recorder@0123456789ab') {
    this.id = id;
  }
  async embedPassages(texts: readonly string[]): Promise<Float32Array> {
    this.embedded.push(...texts);
    return Float32Array.from(texts.flatMap(vectorOf));
  }
  async embedQuery(text: string): Promise<Float32Array> {
    return Float32Array.from(vectorOf(text));
  }
}
function vectorOf(text: string): number[] {
  const plain = text.replace(/[\s\u200b\0]/g, '');
  const length = Math.hypot(plain.charCodeAt(0), plain.length);
  return plain === '' ? [0, 0] : [plain.charCodeAt(0) / length, plain.length / length];
}

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const file = () => join(folder, readdirSync(folder)[0]!);

/** Embeds as a fresh process would; returns the texts that were really embedded. */
async function embed(texts: readonly string[], options = {}, inner = new Recorder()): Promise<string[]> {
  const cached = cachedEmbedder(inner, folder, options);
  const vectors = await cached.embedPassages(texts);
  cached.close();
  expect([...vectors]).toEqual(texts.flatMap(vectorOf).map(Math.fround));
  return inner.embedded;
}

embedderContract(async () => cachedEmbedder(new Recorder(), mkdtempSync(join(folder, 'contract-'))), {
  words: ['a', 'b'.repeat(90)],
});

describe('cachedEmbedder', () => {
  it('embeds a text once over all runs', async () => {
    expect(await embed(['a', 'bb'])).toEqual(['a', 'bb']);
    expect(await embed(['bb', 'ccc', 'a'])).toEqual(['ccc']);
    expect(await embed(['ccc', 'bb', 'a'])).toEqual([]);
  });

  it('embeds a text once within a run and within a call', async () => {
    const inner = new Recorder();
    const cached = cachedEmbedder(inner, folder);
    await cached.embedPassages(['a', 'bb', 'a']);
    await cached.embedPassages(['bb', 'a']);
    cached.close();
    expect(inner.embedded).toEqual(['a', 'bb']);
  });

  it('separates the vectors of different models', async () => {
    await embed(['a']);
    expect(await embed(['a'], {}, new Recorder('other@0123456789ab'))).toEqual(['a']);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('reads nothing from disk for queries', async () => {
    const cached = cachedEmbedder(new Recorder(), join(folder, 'unused'));
    await cached.embedQuery('a');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('loses only the torn record if a run is killed while writing', async () => {
    // A record is 16 bytes of key, 8 of vector and 4 of checksum.
    await embed(['a', 'bb', 'ccc']);
    const whole = statSync(file()).size;
    for (let lost = 1; lost <= 28; lost += 1) {
      truncateSync(file(), whole - lost);
      expect(await embed(['a', 'bb', 'ccc'])).toEqual(['ccc']);
      expect(statSync(file()).size).toBe(whole);
    }
  });

  it('cuts off everything after a damaged record, and continues from there', async () => {
    await embed(['a', 'bb', 'ccc', 'dddd']);
    const bytes = readFileSync(file());
    bytes[bytes.length - 28 * 2 - 10]! ^= 1;
    writeFileSync(file(), bytes);
    expect(await embed(['a', 'bb', 'ccc', 'dddd'])).toEqual(['bb', 'ccc', 'dddd']);
    appendFileSync(file(), 'noise of another program');
    expect(await embed(['a', 'bb', 'ccc', 'dddd', 'e'])).toEqual(['e']);
    expect(await embed(['e', 'a'])).toEqual([]);
  });

  it('overwrites a file of another kind', async () => {
    await embed(['a']);
    writeFileSync(
      file(),
      'something else entirely, longer than any head of ours could ever be, and then some more of it',
    );
    expect(await embed(['a'])).toEqual(['a']);
    expect(await embed(['a'])).toEqual([]);
  });

  it('restarts the file when it would exceed its limit', async () => {
    const options = { maxFileBytes: 200 };
    const texts = Array.from({ length: 30 }, (_, at) => 'x'.repeat(at + 1));
    for (const text of texts) await embed([text], options);
    expect(statSync(file()).size).toBeLessThanOrEqual(200);
    // The last record is still there.
    expect(await embed([texts.at(-1)!], options)).toEqual([]);
    expect(await embed([texts[0]!], options)).toEqual([texts[0]]);
  });

  it('lets several processes append to one file', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const [one, two] = [cachedEmbedder(first, folder), cachedEmbedder(second, folder)];
    await one.embedPassages(['a']);
    await two.embedPassages(['bb']);
    await one.embedPassages(['ccc']);
    // Each finds its own records, or embeds again where the other's shifted them: never a wrong vector.
    for (const cached of [one, two])
      expect([...(await cached.embedPassages(['a', 'bb', 'ccc']))]).toEqual(
        ['a', 'bb', 'ccc'].flatMap(vectorOf).map(Math.fround),
      );
    one.close();
    two.close();
    expect(await embed(['a', 'bb', 'ccc'])).toEqual([]);
  });

  it('says of the model what the model says: id, dimensions, whether it is multilingual', () => {
    const model: Embedder = Object.assign(new Recorder('many@0123456789ab'), { multilingual: true });
    expect(cachedEmbedder(model, folder)).toMatchObject({
      id: 'many@0123456789ab',
      dimensions: 2,
      multilingual: true,
    });
    expect(cachedEmbedder(new Recorder(), folder).multilingual).toBe(false);
  });

  it('embeds without caching if the folder cannot be created', async () => {
    const inner = new Recorder();
    writeFileSync(join(folder, 'file'), '');
    const cached = cachedEmbedder(inner, join(folder, 'file', 'sub'));
    await cached.embedPassages(['a']);
    await cached.embedPassages(['a']);
    expect(inner.embedded).toEqual(['a', 'a']);
    cached.close();
  });

  it('gives the embedder’s vectors for any texts, however the file is damaged in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ maxLength: 3 }), { maxLength: 6 }), { maxLength: 5 }),
        fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
        async (runs, cuts) => {
          for (const [at, texts] of runs.entries()) {
            await embed(texts);
            if (readdirSync(folder).length > 0) truncateSync(file(), cuts[at]! % (statSync(file()).size + 1));
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
