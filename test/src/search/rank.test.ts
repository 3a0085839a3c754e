import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Features } from '../../../src/search/features.ts';
import { contributionsOf, rank, WEIGHTS } from '../../../src/search/rank.ts';

const NAMES = ['words', 'coverage', 'passage', 'identifiers', 'name', 'cardShare', 'bestShare'] as const;

/** Rows of equal features. */
function features(...levels: number[]): Features {
  const columns = NAMES.map((name) => [name, Float32Array.from(levels)] as const);
  return Object.fromEntries(columns) as unknown as Features;
}

describe('rank', () => {
  it('ranks higher features first, and ties by the given order', () => {
    const { order } = rank(features(0.2, 0.9, 0.2), 3, (a, b) => b - a);
    expect(order).toEqual([1, 2, 0]);
  });

  it('sorts scores of either sign, and equal ones by the given order', () => {
    const level = fc.oneof(fc.constantFrom(0, -0, 0.5, -0.5), fc.float({ min: -2, max: 2, noNaN: true }));
    fc.assert(
      fc.property(fc.array(level, { maxLength: 30 }), (levels) => {
        const { order, scores } = rank(features(...levels), levels.length, (a, b) => b - a);
        const expected = [...levels.keys()].sort((a, b) => scores[b]! - scores[a]! || b - a);
        expect(order).toEqual(expected);
      }),
    );
  });

  it('has only positive weights, so more of a feature never lowers a score', () => {
    for (const weight of Object.values(WEIGHTS)) expect(weight).toBeGreaterThan(0);
  });

  it('explains a score by parts that add up to it', () => {
    const given = features(0.5, 1);
    const { scores } = rank(given, 2, (a, b) => a - b);
    for (const at of [0, 1]) {
      const sum = Object.values(contributionsOf(given, at)).reduce((total, part) => total + part, 0);
      expect(sum).toBeCloseTo(scores[at]!, 5);
    }
  });
});
