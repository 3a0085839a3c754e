import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Coverable, cover } from '../../../src/insights/cover.ts';

/** Two parts of equal weight; each skill has the given fits, costs 1 and has no twin. */
const task = (fits: number[][], more: Partial<Coverable> = {}): Coverable => ({
  fits,
  weights: fits.map(() => 1 / fits.length),
  skills: fits[0]?.length ?? 0,
  costOf: () => 1,
  budget: 10,
  most: 5,
  least: 0.05,
  areTwins: () => false,
  ...more,
});

describe('cover', () => {
  it('takes one skill if it covers everything', () => {
    // Worth of skill 1 alone: 0.9; skills 0 and 2 would add 0.05 / 2 each.
    const { members } = cover(
      task([
        [0.95, 0.9, 0],
        [0, 0.9, 0.95],
      ]),
    );
    expect(members).toEqual([1]);
  });

  it('takes the skill that adds most, not the second best', () => {
    // After skill 0 (0.5 × 1 + 0.5 × 0.2) skill 1 adds nothing, skill 2 adds 0.5 × 0.4.
    const { members } = cover(
      task([
        [1, 0.9, 0.1],
        [0.2, 0.2, 0.6],
      ]),
    );
    expect(members).toEqual([0, 2]);
  });

  it('never takes a twin of a member', () => {
    const fits = [
      [1, 0, 0],
      [0.1, 0.9, 0.8],
    ];
    expect(cover(task(fits)).members).toEqual([0, 1]);
    expect(cover(task(fits, { areTwins: (a, b) => a + b === 1 })).members).toEqual([0, 2]);
  });

  it('skips and reports what exceeds the budget', () => {
    const fits = [
      [1, 0, 0],
      [0, 1, 0.7],
    ];
    const costs = [4, 8, 6];
    const found = cover(task(fits, { costOf: (skill) => costs[skill]!, budget: 10 }));
    expect(found).toEqual({ members: [0, 2], tooLarge: [1] });
  });

  it('keeps the budget, the limit and the threshold, for any fits', () => {
    const matrix = fc.array(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    const costs = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(
        matrix,
        costs,
        fc.nat({ max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        (fits, cost, budget, most) => {
          const { members } = cover(task(fits, { costOf: (skill) => cost[skill]!, budget, most }));
          expect(members.reduce((sum, skill) => sum + cost[skill]!, 0)).toBeLessThanOrEqual(budget);
          expect(members.length).toBeLessThanOrEqual(most);
          expect(new Set(members).size).toBe(members.length);
          const reached = fits.map(() => 0);
          for (const skill of members) {
            const gain = fits.reduce(
              (sum, part, at) => sum + Math.max(0, part[skill]! - reached[at]!) / fits.length,
              0,
            );
            expect(gain).toBeGreaterThanOrEqual(0.05 - 1e-9);
            fits.forEach((part, at) => {
              reached[at] = Math.max(reached[at]!, part[skill]!);
            });
          }
        },
      ),
    );
  });
});
