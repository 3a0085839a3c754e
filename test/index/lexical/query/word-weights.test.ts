import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wordWeight } from '../../../../index/lexical/query/word-weights.ts';

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
