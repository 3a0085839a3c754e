import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapInterval, compare, randomisationTest } from '../../../bench/evaluation/compare.ts';
import { type Evaluation, summarise } from '../../../bench/evaluation/evaluation.ts';

function evaluationOf(system: string, values: readonly number[]): Evaluation {
  return summarise(
    system,
    'set',
    10,
    values.map((value, index) => ({
      query: { id: `q${index}`, text: `text ${index}` },
      ranking: [],
      values: { m: value },
      firstHit: null,
      confidence: null,
      tookMs: 1,
    })),
  );
}

describe('randomisationTest', () => {
  it('approximates the exact value where it can be counted', () => {
    // Five gains of 1: of 2^5 = 32 sign assignments two (all +, all −) are as large. p = 2/32 = 0.0625.
    expect(randomisationTest([1, 1, 1, 1, 1])).toBeCloseTo(2 / 32, 1);
    // 3 and −1: sums ±2, ±4; all four assignments reach 2. p = 1.
    expect(randomisationTest([3, -1])).toBe(1);
    // Ten gains of 1: 2/1024 = 0.00195; the sampling error at 10,000 rounds is 0.0004.
    const ten = randomisationTest(Array.from({ length: 10 }, () => 1));
    expect(Math.abs(ten - 2 / 1024)).toBeLessThan(0.002);
  });

  it('is 1 where nothing differs and never 0', () => {
    expect(randomisationTest([])).toBe(1);
    expect(randomisationTest([0, 0, 0])).toBe(1);
    expect(randomisationTest(Array.from({ length: 100 }, () => 0.3))).toBeGreaterThan(0);
  });

  it('does not depend on which system is the baseline', () => {
    const differences = fc.array(
      fc.integer({ min: -4, max: 4 }).map((quarters) => quarters / 4),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(differences, (values) => {
        const swapped = values.map((value) => -value);
        expect(randomisationTest(swapped, { rounds: 200 })).toBe(randomisationTest(values, { rounds: 200 }));
      }),
    );
  });
});

describe('bootstrapInterval', () => {
  it('is the normal interval for a large even sample', () => {
    // 200 zeros and 200 ones: mean 0.5, standard error √(0.25/400) = 0.025, so 0.5 ± 1.96 × 0.025 = 0.451 … 0.549.
    const [low, high] = bootstrapInterval([...Array(200).fill(0), ...Array(200).fill(1)]);
    expect(low).toBeCloseTo(0.451, 2);
    expect(high).toBeCloseTo(0.549, 2);
  });

  it('has no width where all values agree, and is [0, 0] for none', () => {
    expect(bootstrapInterval([0.25, 0.25, 0.25])).toEqual([0.25, 0.25]);
    expect(bootstrapInterval([])).toEqual([0, 0]);
  });

  it('lies within the values', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 1, maxLength: 20 }), (values) => {
        const [low, high] = bootstrapInterval(values, { rounds: 50 });
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });
});

describe('compare', () => {
  it('pairs queries and lists those that differ, the largest gain first', () => {
    const comparison = compare(
      evaluationOf('old', [0, 0.5, 1, 1]),
      evaluationOf('new', [1, 1, 1, 0.75]),
      'm',
    );
    expect(comparison).toMatchObject({
      measure: 'm',
      baseline: { system: 'old', mean: 0.625 },
      contender: { system: 'new', mean: 0.9375 },
      queries: 4,
      // (1 + 0.5 + 0 − 0.25) / 4
      difference: 0.3125,
    });
    expect(comparison.differences.map((row) => [row.query, row.difference])).toEqual([
      ['q0', 1],
      ['q1', 0.5],
      ['q3', -0.25],
    ]);
  });
});
