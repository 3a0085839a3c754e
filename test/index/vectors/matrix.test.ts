import { describe, expect, it } from 'vitest';
import { Int8Matrix } from '../../../index/vectors/matrix.ts';

describe('Int8Matrix', () => {
  it.each([
    ['rows of whole steps', 16],
    ['rows that need padding', 5],
  ])('is filled in blocks and returns the rows: %s', (_, dimensions) => {
    const matrix = Int8Matrix.allocate(3, dimensions);
    matrix.fill(1, 2, (target) => {
      expect(target).toHaveLength(2 * dimensions);
      target.fill(2, 0, dimensions);
      target.fill(0xff, dimensions);
    });
    matrix.scales.set([1, 0.5, 3]);
    expect(matrix.vector(0)).toEqual(new Float32Array(dimensions));
    expect(matrix.vector(1)).toEqual(new Float32Array(dimensions).fill(2 * 0.5));
    // 0xff is −1 in two's complement.
    expect(matrix.vector(2)).toEqual(new Float32Array(dimensions).fill(-1 * 3));
  });

  it('is continued in its own memory, once, and is not affected by the new rows', () => {
    const first = Int8Matrix.allocate(2, 16, { spare: true });
    first.fill(0, 2, (target) => target.fill(1));
    first.scales.fill(0.5);
    const second = first.continued(3)!;
    second.fill(2, 1, (target) => target.fill(3));
    second.scales[2] = 2;
    expect(Array.from({ length: 3 }, (_, row) => second.vector(row)[0])).toEqual([0.5, 0.5, 6]);
    expect(first.rows).toBe(2);
    expect(first.scales).toHaveLength(2);
    expect(first.unpadded()).toHaveLength(32);
    expect(first.continued(3)).toBeNull();
    expect(second.continued(2)).toBeNull();
    expect(second.continued(1_000_000)).toBeNull();
    expect(Int8Matrix.allocate(2, 16).continued(3)).toBeNull();
  });
});
