/** The contract of every vector index. The tests of each implementation run it. */

import { describe, expect, it } from 'vitest';
import type { IndexError } from '../../index/errors.ts';
import { recallOf } from '../../index/segment/graph.ts';
import { ExactIndex, type VectorIndex } from '../../index/vectors/exact.ts';
import { quantize } from '../../index/vectors/int8.ts';
import { Int8Matrix } from '../../index/vectors/matrix.ts';
import { mixture } from './vectors.ts';

export function vectorIndexContract(open: (exact: ExactIndex) => Promise<VectorIndex>): void {
  const of = (vectors: readonly number[], dimensions: number) =>
    open(exactOf(Float32Array.from(vectors), dimensions));

  describe('a vector index', () => {
    it('returns the nearest rows first, with their cosines', async () => {
      // Rows at 90°, 0°, 53.13° and 180° to the query: cosines 0, 1, 3/5 and −1.
      const index = await of([0, 1, 1, 0, 0.6, 0.8, -1, 0], 2);
      const { ordinals, scores } = index.nearest(Float32Array.of(1, 0), 3);
      expect([...ordinals]).toEqual([1, 2, 0]);
      expect(scores[0]).toBeCloseTo(1, 5);
      expect(scores[1]).toBeCloseTo(0.6, 2);
      expect(scores[2]).toBeCloseTo(0, 5);
    });

    it('ranks the lower row first among equals', async () => {
      const index = await of([0, 1, 1, 0, 0, 1, 1, 0, 1, 0], 2);
      expect([...index.nearest(Float32Array.of(1, 0), 3).ordinals]).toEqual([1, 3, 4]);
      expect([...index.nearest(Float32Array.of(1, 0), 5).ordinals]).toEqual([1, 3, 4, 0, 2]);
    });

    it('returns every row if k is larger than the index', async () => {
      const index = await of([0, 1, 1, 0], 2);
      expect([...index.nearest(Float32Array.of(1, 0), 50).ordinals]).toEqual([1, 0]);
    });

    it('returns nothing for k = 0, and nothing from an empty index', async () => {
      const index = await of([0, 1, 1, 0], 2);
      expect(index.nearest(Float32Array.of(1, 0), 0).ordinals).toHaveLength(0);
      const empty = await open(new ExactIndex(Int8Matrix.allocate(0, 2)));
      expect(empty.nearest(Float32Array.of(1, 0), 5).ordinals).toHaveLength(0);
    });

    it('never returns a row without a vector, and finds the others among many such rows', async () => {
      const vectors = new Float32Array(300 * 4);
      vectors.set([1, 0, 0, 0], 7 * 4);
      vectors.set([0, 1, 0, 0], 200 * 4);
      const index = await open(exactOf(vectors, 4));
      expect([...index.nearest(Float32Array.of(0, 1, 0, 0), 10).ordinals]).toEqual([200, 7]);
    });

    it('returns nothing for a query of zeros', async () => {
      const index = await of([0, 1, 1, 0], 2);
      expect(index.nearest(new Float32Array(2), 5).ordinals).toHaveLength(0);
    });

    it('returns accepted rows only, many or few', async () => {
      const exact = exactOf(mixture(2000, 16), 16);
      const index = await open(exact);
      const query = exact.matrix.vector(42);
      for (const keep of [(row: number) => row % 3 > 0, (row: number) => row % 97 === 0, () => false]) {
        const accept = Uint8Array.from({ length: 2000 }, (_, row) => Number(keep(row)));
        const { ordinals } = index.nearest(query, 10, accept);
        const all = [...exact.nearest(query, 2000).ordinals].filter(keep);
        const found = [...ordinals].filter((row) => all.slice(0, 10).includes(row)).length;
        expect([...ordinals].every(keep)).toBe(true);
        expect(ordinals).toHaveLength(Math.min(10, all.length));
        expect(found).toBeGreaterThanOrEqual(Math.min(9, all.length));
      }
    });

    it('returns the same scores as the exact index', async () => {
      const exact = exactOf(mixture(1500, 16), 16);
      const index = await open(exact);
      const query = exact.matrix.vector(3);
      const { ordinals, scores } = index.nearest(query, 20);
      const expected = new Float32Array(20);
      exact.dotsAt(query, ordinals, expected);
      expect(scores).toEqual(expected);
    });

    it('misses at most one in a hundred of the ten nearest of 3,000 clustered rows', async () => {
      const exact = exactOf(mixture(3000, 32), 32);
      expect(recallOf(await open(exact), exact)).toBeGreaterThanOrEqual(0.99);
    });

    it('rejects a query or filter of the wrong length, and a query that is not finite', async () => {
      const index = await of([0, 1, 1, 0], 2);
      for (const ask of [
        () => index.nearest(Float32Array.of(1, 0, 0), 1),
        () => index.nearest(Float32Array.of(1, Number.NaN), 1),
        () => index.nearest(Float32Array.of(1, Number.POSITIVE_INFINITY), 1),
        () => index.nearest(Float32Array.of(1, 0), 1, new Uint8Array(3)),
      ])
        expect(ask).toThrow(expect.objectContaining({ code: 'INDEX_INPUT' }) as IndexError);
    });
  });
}

export function exactOf(vectors: Float32Array, dimensions: number): ExactIndex {
  return new ExactIndex(Int8Matrix.of(quantize(vectors, dimensions), dimensions));
}
