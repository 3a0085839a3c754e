import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/search/embedding/errors.ts';
import { readEmbeddingTable } from '../../../../src/search/embedding/tables.ts';
import { examples } from '../../../thorough.ts';
import { message, TINY, TINY_SCALES, tinyEmb, tinyOnnx, tinyScale } from './tiny-model.ts';

describe('readEmbeddingTable', () => {
  it.each([
    ['one by one', false],
    ['packed', true],
  ])('finds both tensors, with their dimensions written %s', (_, packed) => {
    const { rows, dimensions, values, scales } = readEmbeddingTable(tinyOnnx([tinyScale, tinyEmb], packed));
    expect([rows, dimensions]).toEqual([7, 2]);
    expect([...values]).toEqual(Object.values(TINY).flat());
    expect([...scales]).toEqual(TINY_SCALES.map(Math.fround));
  });

  const bytes = (count: number) => new Uint8Array(count);
  it.each([
    ['no tensors', tinyOnnx([])],
    ['no scales', tinyOnnx([tinyEmb])],
    ['a table of floats', tinyOnnx([{ ...tinyEmb, type: 1 }, tinyScale])],
    ['a table shorter than its dimensions say', tinyOnnx([{ ...tinyEmb, raw: bytes(13) }, tinyScale])],
    ['a table of three dimensions', tinyOnnx([{ ...tinyEmb, dims: [7, 2, 1] }, tinyScale])],
    ['an empty table', tinyOnnx([{ ...tinyEmb, dims: [0, 2], raw: bytes(0) }, tinyScale])],
    ['scales for other rows', tinyOnnx([tinyEmb, { ...tinyScale, dims: [6, 1], raw: bytes(24) }])],
    ['scales of another type', tinyOnnx([tinyEmb, { ...tinyScale, type: 3 }])],
    [
      'a scale of Infinity',
      tinyOnnx([
        tinyEmb,
        { ...tinyScale, raw: Uint8Array.from(tinyScale.raw).fill(0x7f, 27).fill(0x80, 26, 27) },
      ]),
    ],
    ['another message', message([[1, 'hello']])],
    ['nothing', bytes(0)],
  ])('refuses %s', (_, file) => {
    expect(() => readEmbeddingTable(file)).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
  });

  it('refuses a file that is truncated anywhere', () => {
    const whole = tinyOnnx();
    for (let size = 0; size < whole.length; size += 1)
      expect(() => readEmbeddingTable(whole.subarray(0, size))).toThrow(ModelError);
  });

  it('returns a table or throws ModelError, for any bytes', () => {
    const damaged = fc
      .tuple(fc.nat({ max: tinyOnnx().length - 1 }), fc.uint8Array({ maxLength: 8 }))
      .map(([at, noise]) => {
        const file = Uint8Array.from(tinyOnnx());
        file.set(noise.subarray(0, file.length - at), at);
        return file;
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array()), (file) => {
        try {
          const { rows, dimensions, values, scales } = readEmbeddingTable(file);
          expect([values.length, scales.length]).toEqual([rows * dimensions, rows]);
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError);
        }
      }),
      { numRuns: examples(500) },
    );
  });
});
