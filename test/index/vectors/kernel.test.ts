import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import { KERNEL_BASE64, type Kernel, plainKernel, simdKernel } from '../../../index/vectors/kernel.ts';

const STRIDE = 32;
const ROWS = 5;

function scored(kernel: Kernel | null, values: Int8Array, query: Int16Array, scale: number): Float32Array {
  if (kernel === null) throw new Error('There is no SIMD here.');
  kernel.values.set(values);
  kernel.query.set(query);
  kernel.scales.set([0.5, 0, 1 / 127, 0.003, 1e-9]);
  kernel.rows.set([4, 0, 0, 3, 1, 2]);
  expect(kernel.score(6, scale, Number.NEGATIVE_INFINITY)).toBe(6);
  return kernel.scores.slice(0, 6);
}

describe('the kernel', () => {
  it('matches the compiled kernel.wat', async () => {
    const source = readFileSync(new URL('../../../index/vectors/kernel.wat', import.meta.url), 'utf8');
    const module = (await wabt()).parseWat('kernel.wat', source, { simd: true });
    module.validate();
    expect(Buffer.from(module.toBinary({}).buffer).toString('base64')).toBe(KERNEL_BASE64);
  });

  it('multiplies, sums and scales', () => {
    const values = new Int8Array(ROWS * STRIDE);
    values.set([1, 2, -3], 2 * STRIDE);
    const query = new Int16Array(STRIDE);
    query.set([100, 10, 1]);
    // 1·100 + 2·10 − 3·1 = 117, times 1/127 of the row and 2 of the query.
    const expected = Math.fround(Math.fround(117 * Math.fround(1 / 127)) * 2);
    expect(scored(simdKernel(ROWS, STRIDE), values, query, 2)[5]).toBe(expected);
    expect(scored(plainKernel(ROWS, STRIDE), values, query, 2)[5]).toBe(expected);
  });

  it('returns bitwise equal scores with and without SIMD', () => {
    const simd = simdKernel(ROWS, STRIDE);
    const plain = plainKernel(ROWS, STRIDE);
    const values = fc.int8Array({ minLength: ROWS * STRIDE, maxLength: ROWS * STRIDE });
    const query = fc.int16Array({ minLength: STRIDE, maxLength: STRIDE });
    fc.assert(
      fc.property(values, query, fc.float({ min: 0, max: 1, noNaN: true }), (rows, asked, scale) => {
        expect(scored(simd, rows, asked, scale)).toEqual(scored(plain, rows, asked, scale));
      }),
    );
  });

  it('keeps the rows at or above the bar, in order, with and without SIMD', () => {
    const kernels = [simdKernel(ROWS, STRIDE)!, plainKernel(ROWS, STRIDE)];
    const lists = fc.array(fc.nat(ROWS - 1), { maxLength: 11 });
    fc.assert(
      fc.property(lists, fc.integer({ min: -4, max: 4 }), (rows, bar) => {
        for (const kernel of kernels) {
          // Row r scores r − 2.
          for (let row = 0; row < ROWS; row += 1) kernel.values[row * STRIDE] = row - 2;
          kernel.query.fill(0)[0] = 1;
          kernel.scales.fill(1);
          kernel.rows.fill(ROWS - 1).set(rows);
          const kept = kernel.score(rows.length, 1, bar);
          const expected = rows.filter((row) => row - 2 >= bar);
          expect([...kernel.rows.subarray(0, kept)]).toEqual(expected);
          expect([...kernel.scores.subarray(0, kept)]).toEqual(expected.map((row) => row - 2));
        }
      }),
    );
  });

  it('returns null, without an exception, if it needs more than 32-bit memory', () => {
    expect(simdKernel(2 ** 25, 128)).toBeNull();
  });
});
