import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantize, quantizeQuery } from '../../../index/vectors/int8.ts';

const component = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 1000);

describe('quantize', () => {
  it('maps the largest component to 127 and keeps the length of the row', () => {
    // 0.6 / 0.8 × 127 = 95.25, stored as 95; length 1 over √(95² + 127²) = 158.600 gives the scale 0.0063052.
    const { values, scales } = quantize(Float32Array.of(0.6, -0.8), 2);
    expect([...values]).toEqual([95, -127]);
    expect(scales[0]).toBeCloseTo(1 / Math.sqrt(95 ** 2 + 127 ** 2), 7);
  });

  it('computes a scale for each row, 0 for rows of zeros', () => {
    const { values, scales } = quantize(Float32Array.of(0, 0, 0.01, 0, 100, 100), 2);
    expect([...values]).toEqual([0, 0, 127, 0, 127, 127]);
    expect(scales[0]).toBe(0);
    expect(scales[1]).toBeCloseTo(0.01 / 127, 9);
    expect(scales[2]).toBeCloseTo(100 / 127, 5);
  });

  it('keeps the documented error bound and the lengths', () => {
    fc.assert(
      fc.property(fc.array(component, { minLength: 1, maxLength: 300 }), (row) => {
        const vector = Float32Array.from(row);
        const { values, scales } = quantize(vector, vector.length);
        const restored = Array.from(values, (value) => value * scales[0]!);
        const error = Math.hypot(...restored.map((value, at) => value - vector[at]!));
        const step = Math.max(...vector.map(Math.abs)) / 127;
        expect(error).toBeLessThanOrEqual(step * Math.sqrt(vector.length) * 1.000_001);
        const length = Math.hypot(...vector);
        expect(Math.hypot(...restored)).toBeCloseTo(length, 5);
      }),
    );
  });

  it('rejects NaN, Infinity and an incomplete last row', () => {
    const refusal = expect.objectContaining({ code: 'INDEX_INPUT' });
    expect(() => quantize(Float32Array.of(1, Number.NaN), 2)).toThrow(refusal);
    expect(() => quantize(Float32Array.of(1, Number.NEGATIVE_INFINITY), 2)).toThrow(refusal);
    expect(() => quantize(Float32Array.of(1, 2, 3), 2)).toThrow(refusal);
    expect(() => quantize(Float32Array.of(1, 2, 3), 0)).toThrow(refusal);
  });
});

describe('quantizeQuery', () => {
  it('maps the largest component to 32,767 and clears the padding', () => {
    const target = new Int16Array(4).fill(9);
    expect(quantizeQuery(Float32Array.of(0.5, -1), target)).toBeCloseTo(1 / 32_767, 9);
    // 0.5 × 32,767 = 16,383.5, rounded up.
    expect([...target]).toEqual([16_384, -32_767, 0, 0]);
  });

  it('keeps every sum within 32 bits, for rows of any length', () => {
    for (const dimensions of [16, 512, 1024, 4096, 16_384]) {
      const target = new Int16Array(dimensions);
      quantizeQuery(new Float32Array(dimensions).fill(1), target);
      expect(target[0]! * 127 * dimensions).toBeLessThan(2 ** 31);
      expect(target[0]).toBeGreaterThan(1000);
    }
  });

  it('returns the scale 0 for a query of zeros', () => {
    const target = new Int16Array(2).fill(9);
    expect(quantizeQuery(new Float32Array(2), target)).toBe(0);
    expect([...target]).toEqual([0, 0]);
  });
});
