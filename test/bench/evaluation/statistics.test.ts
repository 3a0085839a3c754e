import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean, quantile, seeded } from '../../../bench/evaluation/statistics.ts';

describe('quantile', () => {
  it('takes the nearest rank of the sorted sample', () => {
    // Ranks ⌈0.5 × 4⌉ = 2, ⌈0.95 × 4⌉ = 4, ⌈0.25 × 4⌉ = 1.
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(quantile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(quantile([4, 1, 3, 2], 0.25)).toBe(1);
    expect(quantile([], 0.5)).toBe(0);
  });

  it('does not skip a value by rounding', () => {
    // 0.07 × 100 is 7.000000000000001 in floating point; the seventh of 1…100 is 7.
    expect(
      quantile(
        Array.from({ length: 100 }, (_, index) => index + 1),
        0.07,
      ),
    ).toBe(7);
  });

  it('is a value that occurred, with at least its share at or below', () => {
    const sample = fc.array(fc.integer(), { minLength: 1 });
    fc.assert(
      fc.property(sample, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const value = quantile(values, percent / 100);
        expect(values).toContain(value);
        const below = values.filter((other) => other <= value).length;
        expect(below * 100).toBeGreaterThanOrEqual(percent * values.length);
      }),
    );
  });
});

describe('mean', () => {
  it('is 0 for no values', () => {
    expect(mean([])).toBe(0);
    expect(mean([1, 2, 6])).toBe(3);
  });
});

describe('seeded', () => {
  it('gives the known sequence of mulberry32', () => {
    // Bryc's reference implementation with seed 1: 0.6270739405881613, 0.002735721180215478, 0.5274470399599522.
    const random = seeded(1);
    expect([random(), random(), random()]).toEqual([
      0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
    ]);
  });
});
