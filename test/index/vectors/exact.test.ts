import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactIndex } from '../../../index/vectors/exact.ts';
import { quantize } from '../../../index/vectors/int8.ts';
import { Int8Matrix } from '../../../index/vectors/matrix.ts';
import { exactOf, vectorIndexContract } from '../../contracts/vector-index.ts';
import { mixture } from '../../contracts/vectors.ts';

vectorIndexContract(async (exact) => exact);

const D = 5;
const component = fc.float({ min: -1, max: 1, noNaN: true });
const vector = fc.array(component, { minLength: D, maxLength: D });

describe('ExactIndex', () => {
  it('agrees with sorting every row by its cosine', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ row: vector, accepted: fc.boolean() }), { maxLength: 40 }),
        vector,
        fc.nat({ max: 50 }),
        (rows, asked, k) => {
          const query = Float32Array.from(asked);
          const exact = exactOf(Float32Array.from(rows.flatMap(({ row }) => row)), D);
          const accept = Uint8Array.from(rows, ({ accepted }) => Number(accepted));
          const { ordinals, scores } = exact.nearest(query, k, accept);
          const all = new Float32Array(rows.length);
          exact.dots(query, 0, rows.length, all);
          const sorted = [...accept.keys()]
            .filter(
              (row) =>
                accept[row] === 1 && exact.matrix.scales[row]! > 0 && query.some((value) => value !== 0),
            )
            .sort((a, b) => all[b]! - all[a]! || a - b)
            .slice(0, k);
          expect([...ordinals]).toEqual(sorted);
          expect([...scores]).toEqual(sorted.map((row) => all[row]));
        },
      ),
    );
  });

  it('scores within 0.0001 of the inner product with the stored row, in doubles', () => {
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 10 }), vector, (rows, asked) => {
        const exact = exactOf(Float32Array.from(rows.flat()), D);
        const query = Float32Array.from(asked);
        const all = new Float32Array(rows.length);
        exact.dots(query, 0, rows.length, all);
        rows.forEach((_, row) => {
          const stored = exact.matrix.vector(row);
          const product = stored.reduce((sum, value, at) => sum + value * query[at]!, 0);
          // Half a step of 1/32,767 in each of five components of at most √5 · 1: at most 0.00017.
          expect(Math.abs(all[row]! - product)).toBeLessThan(0.00018);
        });
      }),
    );
  });

  it('returns the same results without SIMD', () => {
    const rows = quantize(mixture(1500, 24), 24);
    const simd = new ExactIndex(Int8Matrix.of(rows, 24));
    const plain = new ExactIndex(Int8Matrix.of(rows, 24, { simd: false }));
    for (const row of [0, 700, 1499]) {
      const query = simd.matrix.vector(row);
      expect(plain.nearest(query, 30)).toEqual(simd.nearest(query, 30));
    }
  });

  it('scores chosen rows and ranges longer than a block', () => {
    const exact = exactOf(mixture(2500, 8), 8);
    const query = exact.matrix.vector(1);
    const range = new Float32Array(2400);
    exact.dots(query, 50, 2450, range);
    const chosen = new Float32Array(2);
    exact.dotsAt(query, Uint32Array.of(2449, 50), chosen);
    expect([...chosen]).toEqual([range[2399], range[0]]);
  });

  it('answers the current query, in any order of queries and matrices', () => {
    const rows = quantize(mixture(40, 8), 8);
    const matrix = Int8Matrix.of(rows, 8);
    // Two indexes over one matrix share the memory of the query.
    const [one, other] = [new ExactIndex(matrix), new ExactIndex(matrix)];
    const written = new Float32Array(8);
    const fresh = (row: number) => new ExactIndex(Int8Matrix.of(rows, 8)).nearest(matrix.vector(row), 5);
    for (const row of [3, 3, 17, 3, 29]) {
      written.set(matrix.vector(row));
      expect(one.nearest(written, 5)).toEqual(fresh(row));
      expect(other.nearest(matrix.vector(row + 1), 5)).toEqual(fresh(row + 1));
    }
    const broken = written.with(2, Number.NaN);
    expect(() => one.nearest(broken, 5)).toThrow('NaN');
    expect(one.nearest(written, 5)).toEqual(fresh(29));
  });

  it('rejects rows that do not exist', () => {
    const exact = exactOf(mixture(10, 8), 8);
    const query = exact.matrix.vector(1);
    expect(() => exact.dots(query, 5, 11, new Float32Array(6))).toThrow(RangeError);
    expect(() => exact.dotsAt(query, Uint32Array.of(10), new Float32Array(1))).toThrow(RangeError);
  });
});
