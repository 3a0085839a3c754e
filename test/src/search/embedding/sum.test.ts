import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import type { EmbeddingTable } from '../../../../src/search/embedding/model-file.ts';
import { plainSum, SUM_BASE64, simdSum } from '../../../../src/search/embedding/sum.ts';

const ROWS = 6;
const D = 16;

const tableOf = (
  rows: number,
  dimensions: number,
  values: Int8Array,
  scales: Float32Array,
): EmbeddingTable => ({
  rows,
  dimensions,
  scales,
  readRow: (row, target) => target.set(values.subarray(row * dimensions, (row + 1) * dimensions)),
});

const table = fc
  .tuple(
    fc.int8Array({ minLength: ROWS * D, maxLength: ROWS * D }),
    fc.float32Array({ minLength: ROWS, maxLength: ROWS, min: 0, max: 2, noNaN: true }),
  )
  .map(([values, scales]) => tableOf(ROWS, D, values, scales));

function summed(kind: typeof simdSum, of: EmbeddingTable, ids: readonly number[]): Float32Array {
  const tokens = kind(of, 32);
  if (tokens === null) throw new Error('There is no SIMD here.');
  tokens.sum.fill(7);
  tokens.ids.set(ids);
  tokens.add(ids.length);
  return tokens.sum.slice();
}

describe('the sum of token vectors', () => {
  it('is what sum.wat compiles to', async () => {
    const source = readFileSync(new URL('../../../../src/search/embedding/sum.wat', import.meta.url), 'utf8');
    const module = (await wabt()).parseWat('sum.wat', source, { simd: true });
    module.validate();
    expect(Buffer.from(module.toBinary({}).buffer).toString('base64')).toBe(SUM_BASE64);
  });

  it.each([
    ['with SIMD', simdSum],
    ['without', plainSum],
  ])('adds rows times their scales, from zero: %s', (_, kind) => {
    const values = new Int8Array(2 * 8);
    values.set([1, -2, 0, 0, 0, 0, 0, 127], 0);
    values.set([10, 20, 0, 0, 0, 0, 0, -128], 8);
    const scales = Float32Array.of(0.5, 0.25);
    // Twice the first row and once the second: 2·0.5·1 + 0.25·10 = 3.5, 2·0.5·(−2) + 0.25·20 = 3, 127 − 32 = 95.
    expect([...summed(kind, tableOf(2, 8, values, scales), [0, 1, 0])]).toEqual([3.5, 3, 0, 0, 0, 0, 0, 95]);
    expect([...summed(kind, tableOf(2, 8, values, scales), [])]).toEqual(Array(8).fill(0));
  });

  it('is bitwise the same with and without SIMD', () => {
    fc.assert(
      fc.property(table, fc.array(fc.nat({ max: ROWS - 1 }), { maxLength: 32 }), (of, ids) => {
        expect(summed(simdSum, of, ids)).toEqual(summed(plainSum, of, ids));
      }),
    );
  });

  it('reads a row once, at its first use, and has room for all rows', () => {
    const read: number[] = [];
    const rows = 5_000;
    const large: EmbeddingTable = {
      rows,
      dimensions: 8,
      scales: new Float32Array(rows).fill(1),
      readRow: (row, target) => {
        read.push(row);
        target.fill(row % 100);
      },
    };
    expect([...summed(simdSum, large, [4_999, 7, 4_999])]).toEqual(Array(8).fill(99 + 7 + 99));
    expect(read).toEqual([4_999, 7]);
    const tokens = simdSum(large, 32);
    // 0 + 1 + … + 99 fifty times, one row at a time: more rows than are allocated at first.
    let total = 0;
    for (let row = 0; row < rows; row += 1) {
      tokens!.ids[0] = row;
      tokens!.add(1);
      total += tokens!.sum[7]!;
    }
    expect(total).toBe(50 * 4_950);
  });

  it('uses plain JavaScript if the dimensions are not a multiple of eight', () => {
    expect(simdSum(tableOf(1, 2, new Int8Array(2), new Float32Array(1)), 4)).toBeNull();
  });
});
