import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trustIn, wordWeight } from '../../../../index/lexical/query/word-weights.ts';

const shipped: Record<string, number> = JSON.parse(
  readFileSync(new URL('../../../../index/lexical/query/word-weights.json', import.meta.url), 'utf8'),
);

describe('wordWeight', () => {
  it('is 1 for a word without evidence in the written queries', () => {
    expect(wordWeight('unheardof')).toBe(1);
    expect(wordWeight('hasOwnProperty')).toBe(1);
    expect(wordWeight('__proto__')).toBe(1);
  });

  it('lowers filler words of requests and raises words that decide', () => {
    for (const wrapping of ['nobodi', 'everi', 'someth', 'keep'])
      expect(wordWeight(wrapping)).toBeLessThan(0.6);
    for (const deciding of ['github', 'azur', 'api']) expect(wordWeight(deciding)).toBeGreaterThan(1.2);
  });

  it('has terms of English letters, with weights between e⁻² and e²', () => {
    for (const [term, weight] of Object.entries(shipped)) {
      expect(term).toMatch(/^[a-z]+$/);
      expect(weight).toBeGreaterThanOrEqual(0.13);
      expect(weight).toBeLessThanOrEqual(7.4);
    }
  });
});

describe('trustIn', () => {
  it('is whole where the usual words of skills are as frequent as usual, even in a dozen skills', () => {
    expect(trustIn(24_849, () => 15_000)).toBe(1);
    expect(trustIn(12, () => 7)).toBe(1);
  });

  it('is nothing in a catalog of tools, whose few words are others, and in one of another language', () => {
    expect(trustIn(2_479, () => 200)).toBe(0);
    expect(trustIn(500, () => 0)).toBe(0);
  });

  it('grows with the overlap in between', () => {
    // Every usual share is above 0.5: each word in a fifth of the documents overlaps by 0.2 · 16 / 9.62 = 0.33, which is
    // (0.33 − 0.2) / 0.3 = 0.44 of the way.
    expect(trustIn(100, () => 20)).toBeCloseTo(0.44, 2);
  });
});
