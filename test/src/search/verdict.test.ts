import { describe, expect, it } from 'vitest';
import { verdictOf, verdictWords } from '../../../src/search/verdict.ts';

describe('the verdict', () => {
  it('is none below one in five, perhaps below one in two, fits from there on', () => {
    expect([null, 0, 0.194, 0.2, 0.494, 0.5, 1].map(verdictOf)).toEqual([
      'none',
      'none',
      'none',
      'perhaps',
      'perhaps',
      'fits',
      'fits',
    ]);
  });

  it('agrees with the number next to it, which is rounded', () => {
    expect([0.196, 0.4951].map(verdictWords)).toEqual(['Perhaps a skill fits (0.2)', 'A skill fits (0.5)']);
    expect([0.1949, null].map(verdictWords)).toEqual([
      'No skill seems to fit (0.19)',
      'No skill seems to fit',
    ]);
  });
});
