import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FITS, type Verdict, verdictOf, verdictWords } from '../../../src/search/verdict.ts';

describe('the verdict', () => {
  it('is none below one in ten, perhaps below three in five, fits from there on', () => {
    expect([null, 0, 0.094, 0.1, 0.594, 0.596, 1].map(verdictOf)).toEqual([
      'none',
      'none',
      'none',
      'perhaps',
      'perhaps',
      'fits',
      'fits',
    ]);
    expect(FITS).toBe(0.6);
  });

  it('costs the least of the three, where a wrong load costs two and a half looks and a lost skill ten', () => {
    const costs = (fit: number): Record<Verdict, number> => ({
      fits: 2.5 * (1 - fit),
      perhaps: 1,
      none: 10 * fit,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (hundredths) => {
        const fit = hundredths / 100;
        expect(costs(fit)[verdictOf(fit)]).toBeCloseTo(Math.min(...Object.values(costs(fit))), 10);
      }),
    );
  });

  it('agrees with the number next to it, which is rounded', () => {
    expect([0.096, 0.5951, 0.0949, null].map((fit) => verdictWords(fit))).toEqual([
      'Perhaps a skill fits (0.1)',
      'A skill fits (0.6)',
      'No skill seems to fit (0.09)',
      'No skill seems to fit',
    ]);
  });

  it('names the words that no skill mentions', () => {
    expect(verdictWords(0.01, ['CVE-2021-44228', 'sourdough'])).toBe(
      'No skill seems to fit (0.01): none mentions CVE-2021-44228 or sourdough',
    );
  });
});
