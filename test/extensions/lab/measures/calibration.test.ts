import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationError, reliability } from '../../../../extensions/lab/measures/calibration.ts';

const claim = (confidence: number, right: boolean) => ({ confidence, right });

describe('reliability', () => {
  it('groups claims of like confidence and leaves empty bins out', () => {
    const bins = reliability([claim(0.1, false), claim(0.3, true), claim(0.9, true), claim(1, false)], 2);
    expect(bins).toEqual([
      { from: 0, to: 0.5, claims: 2, meanConfidence: 0.2, accuracy: 0.5 },
      { from: 0.5, to: 1, claims: 2, meanConfidence: 0.95, accuracy: 0.5 },
    ]);
  });

  it('puts each claim into exactly one bin that holds its confidence', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (confidences) => {
        const bins = reliability(confidences.map((confidence) => claim(confidence, true)));
        expect(bins.reduce((sum, bin) => sum + bin.claims, 0)).toBe(confidences.length);
        for (const bin of bins) {
          expect(bin.meanConfidence).toBeGreaterThanOrEqual(bin.from - 1e-12);
          expect(bin.meanConfidence).toBeLessThanOrEqual(bin.to + 1e-12);
        }
      }),
    );
  });
});

describe('calibrationError', () => {
  it('weighs the gap of each bin by its claims', () => {
    // Bin [0, 0.5): 1 claim at 0.2, wrong: gap 0.2. Bin [0.5, 1]: 3 claims at 0.8, 2 right: gap |2/3 − 0.8| = 0.1333…
    // (1 × 0.2 + 3 × 0.1333…) / 4 = 0.15
    const claims = [claim(0.2, false), claim(0.8, true), claim(0.8, true), claim(0.8, false)];
    expect(calibrationError(claims, 2)).toBeCloseTo(0.15, 12);
  });

  it('is 0 where claims hold and where there are none, and 1 where sure claims are all wrong', () => {
    expect(calibrationError([claim(1, true), claim(0, false)])).toBe(0);
    expect(calibrationError([])).toBe(0);
    expect(calibrationError([claim(1, false), claim(0, true)])).toBe(1);
  });
});
