/** The contract of every embedder, run by the tests of each implementation. */

import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../index/embedder.ts';

/** `words` are two texts that the model can distinguish; `unknown` is a text without a token that it knows. */
export interface EmbedderTexts {
  readonly words: readonly [string, string];
  readonly unknown?: string;
}

export function embedderContract(open: () => Promise<Embedder>, { words, unknown }: EmbedderTexts): void {
  const row = (vectors: Float32Array, at: number, dimensions: number) =>
    vectors.subarray(at * dimensions, (at + 1) * dimensions);
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

  describe('an embedder', () => {
    it('has the same id every time', async () => {
      const [first, second] = [await open(), await open()];
      expect(first.id).toMatch(/^\S+@[0-9a-f]{12}$/);
      expect(second.id).toBe(first.id);
    });

    it('returns one row of unit length for each text, in their order', async () => {
      const embedder = await open();
      const { dimensions } = embedder;
      const texts = [words[0], words[1], words[0], `${words[0]} ${words[1]}`];
      const vectors = await embedder.embedPassages(texts);
      expect(vectors).toBeInstanceOf(Float32Array);
      expect(vectors).toHaveLength(4 * dimensions);
      const rows = texts.map((_, at) => row(vectors, at, dimensions));
      for (const vector of rows) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect(cosine(rows[0]!, rows[2]!)).toBeCloseTo(1, 5);
      expect(cosine(rows[0]!, rows[1]!)).toBeLessThan(0.999);
    });

    it('returns the same vector for a text alone and in a batch', async () => {
      const embedder = await open();
      const long = `${words[0]} ${words[1]} `.repeat(40);
      const [alone, among] = [
        await embedder.embedPassages([words[0]]),
        await embedder.embedPassages([long, words[0], words[1]]),
      ];
      expect(cosine(alone, row(among, 1, embedder.dimensions))).toBeCloseTo(1, 3);
    });

    it('returns a vector of unit length for a query', async () => {
      const embedder = await open();
      const vector = await embedder.embedQuery(words[0]);
      expect(vector).toHaveLength(embedder.dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    });

    it('returns zeros, never NaN, for empty texts, and does not affect others', async () => {
      const embedder = await open();
      const blank = ['', ' \n\t', '\u200b\u0000', ...(unknown === undefined ? [] : [unknown])];
      const vectors = await embedder.embedPassages([...blank, words[1]]);
      blank.forEach((_, at) => {
        expect([...row(vectors, at, embedder.dimensions)].every((value) => value === 0)).toBe(true);
      });
      expect(Math.hypot(...row(vectors, blank.length, embedder.dimensions))).toBeCloseTo(1, 5);
      expect((await embedder.embedQuery('')).every((value) => value === 0)).toBe(true);
    });

    it('accepts an empty batch, and texts of 100 KB', async () => {
      const embedder = await open();
      expect(await embedder.embedPassages([])).toHaveLength(0);
      const vector = await embedder.embedQuery(`${words[0]} `.repeat(100_000 / (words[0].length + 1)));
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    });
  });
}
