import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calibrationError,
  falsePositiveRate,
  NO_MATCH_MEASURES,
  reliability,
  rocArea,
} from '../../../bench/evaluation/confidence.ts';

const confidences = fc.array(
  fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
  {
    minLength: 1,
    maxLength: 30,
  },
);

describe('ROC area', () => {
  it('is the share of pairs in the right order, ties counting half', () => {
    // Pairs (answerable, no-match): 0.9 beats 0.5 and 0.2 (2); 0.5 ties 0.5 (½) and beats 0.2 (1); 0.1 beats none.
    // (2 + 1.5 + 0) / 6 = 0.58333…
    expect(rocArea.compute([0.5, 0.9, 0.1], [0.2, 0.5])).toBeCloseTo(3.5 / 6, 12);
  });

  it('is 1 for a clean split, 0 for the reverse and a half without separation', () => {
    expect(rocArea.compute([3, 4], [1, 2])).toBe(1);
    expect(rocArea.compute([1, 2], [3, 4])).toBe(0);
    expect(rocArea.compute([1, 1, 1], [1, 1])).toBe(0.5);
  });

  it('equals the count over all pairs', () => {
    fc.assert(
      fc.property(confidences, confidences, (answerable, noMatch) => {
        let wins = 0;
        for (const a of answerable) for (const n of noMatch) wins += a > n ? 1 : a === n ? 0.5 : 0;
        expect(rocArea.compute(answerable, noMatch)).toBeCloseTo(
          wins / (answerable.length * noMatch.length),
          9,
        );
      }),
    );
  });

  it('does not depend on the unit of the confidence', () => {
    fc.assert(
      fc.property(confidences, confidences, (answerable, noMatch) => {
        const stretched = (values: number[]) => values.map((value) => Math.exp(3 * value) - 7);
        expect(rocArea.compute(stretched(answerable), stretched(noMatch))).toBeCloseTo(
          rocArea.compute(answerable, noMatch),
          12,
        );
      }),
    );
  });
});

describe('false positives at fixed recall', () => {
  it('takes the highest threshold that keeps the recall', () => {
    const answerable = [0.9, 0.8, 0.7, 0.2];
    const noMatch = [0.75, 0.5, 0.1, 0.05];
    // Recall 0.75 keeps 3 of 4: threshold 0.7, and only 0.75 fires.
    expect(falsePositiveRate(0.75).compute(answerable, noMatch)).toBe(1 / 4);
    // Recall 0.76 needs all 4: threshold 0.2, and 0.75 and 0.5 fire.
    expect(falsePositiveRate(0.76).compute(answerable, noMatch)).toBe(2 / 4);
  });

  it('asks for 19 of 20 at 95 %, in spite of rounding', () => {
    const answerable = [...Array.from({ length: 19 }, () => 0.9), 0.1];
    expect(falsePositiveRate(0.95).compute(answerable, [0.5])).toBe(0);
  });

  it('lets a confidence at the threshold fire', () => {
    expect(falsePositiveRate(1).compute([0.5], [0.5, 0.4])).toBe(0.5);
  });

  it('refuses a recall outside (0, 1]', () => {
    for (const recall of [0, -0.1, 1.1, Number.NaN])
      expect(() => falsePositiveRate(recall)).toThrow(RangeError);
  });
});

describe('every no-match measure', () => {
  it.each(NO_MATCH_MEASURES)('$name stays in [0, 1] and ignores the order of the queries', (measure) => {
    fc.assert(
      fc.property(confidences, confidences, (answerable, noMatch) => {
        const value = measure.compute(answerable, noMatch);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(measure.compute([...answerable].reverse(), [...noMatch].reverse())).toBe(value);
      }),
    );
  });

  it.each(NO_MATCH_MEASURES)('$name takes its declared value where one side is empty', (measure) => {
    expect(measure.compute([], [0.3])).toBe(measure.empty);
    expect(measure.compute([0.3], [])).toBe(measure.empty);
  });
});

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
