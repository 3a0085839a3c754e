import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bm25, topRanked } from '../../bench/evaluation/bm25.ts';
import { SYSTEMS, systemsNamed } from '../../bench/systems/all.ts';

describe('topRanked', () => {
  it('equals a stable sort of all positive scores, cut at k', () => {
    const scores = fc.array(fc.integer({ min: -2, max: 5 }), { maxLength: 30 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 12 }), (values, k) => {
        const ids = values.map((_, index) => `d${index}`);
        const naive = values
          .map((score, index) => ({ id: ids[index]!, score }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, k);
        expect(topRanked(ids, values, k)).toEqual(naive);
      }),
    );
  });
});

describe('bm25', () => {
  it('scores as Robertson and Zaragoza define it', async () => {
    // Three documents of 2, 1 and 3 words: mean length 2. "cat" is in a and c: idf = ln(1 + (3 − 2 + ½)/(2 + ½)) = ln 1.6.
    // a: tf 1, length 2: 1 × 2.2 / (1 + 1.2 × (0.25 + 0.75 × 2/2)) = 2.2/2.2 = 1
    // c: tf 2, length 3: 2 × 2.2 / (2 + 1.2 × (0.25 + 0.75 × 3/2)) = 4.4/3.65
    const { search } = bm25(['a', 'b', 'c'], ['cat dog', 'dog', 'cat cat bird']);
    const idf = Math.log(1.6);
    const ranking = await search('cats', 10);
    expect(ranking.map(({ id }) => id)).toEqual(['c', 'a']);
    expect(ranking[0]!.score).toBeCloseTo((idf * 4.4) / 3.65, 12);
    expect(ranking[1]!.score).toBeCloseTo(idf, 12);
  });

  it('finds nothing for stop words and unknown words', async () => {
    const { search } = bm25(['a'], ['use this skill for cats']);
    expect(await search('how can I use the skill', 5)).toEqual([]);
    expect(await search('zebra', 5)).toEqual([]);
    expect(await search('', 5)).toEqual([]);
  });
});

describe('the systems', () => {
  it('have unique names that fit a command line', () => {
    const names = SYSTEMS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  });

  it('are found by name in their own order, and an error for an unknown name lists the known ones', () => {
    expect(systemsNamed(['hybrid', 'bm25f']).map(({ name }) => name)).toEqual(['bm25f', 'hybrid']);
    expect(() => systemsNamed(['hybird'])).toThrow(/no system hybird\. Known systems: .*hybrid/);
  });
});
