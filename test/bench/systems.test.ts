import { describe, expect, it } from 'vitest';
import { bm25 } from '../../bench/evaluation/bm25.ts';

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
});
