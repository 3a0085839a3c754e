import { describe, expect, it } from 'vitest';
import type { Features } from '../../../src/search/features.ts';
import { WEIGHTS } from '../../../src/search/rank.ts';
import { separation, separationText } from '../../../src/search/separation.ts';

const column = (...values: number[]) => Float32Array.from(values);
const features: Features = {
  words: column(1, 0.5),
  coverage: column(0.5, 0.5),
  passage: column(0, 0),
  identifiers: column(0, 0),
  name: column(0, 0),
  cardShare: column(0.5, 1),
  bestShare: column(1, 1),
  elsewhere: column(0, 0),
  product: column(0, 0),
};

describe('separation', () => {
  it('is the difference of the scores, feature by feature, the largest first', () => {
    const { margin, by } = separation(features, 0, 1);
    const words = 0.5 * WEIGHTS.words;
    const card = -0.5 * WEIGHTS.cardShare;
    expect(margin).toBeCloseTo(words + card, 6);
    expect(by[0]).toMatchObject({ feature: 'words', difference: expect.closeTo(words, 6) });
    expect(by.at(-1)).toMatchObject({ feature: 'cardShare', difference: expect.closeTo(card, 6) });
  });

  it('is explained in words: what favours the one, and the other', () => {
    const text = separationText(separation(features, 0, 1));
    expect(text).toMatch(
      /because its words match the query better \(\+0\.\d{3}\); for the other one: its name/,
    );
    expect(separationText(separation(features, 0, 0))).toContain('only the order of the catalog');
  });

  it('gives the reasons with their signs, the largest first, and none that rounds to nothing', () => {
    const by = (...parts: readonly [string, number][]) => ({
      margin: parts.reduce((sum, [, difference]) => sum + difference, 0),
      by: parts.map(([meaning, difference]) => ({ feature: meaning, meaning, difference })),
    });
    const cases: [ReturnType<typeof by>, string][] = [
      [by(['a', 0.2], ['b', 0.1]), 'by 0.300, because a (+0.200), and b (+0.100)'],
      [
        by(['a', 0.5], ['b', -0.1], ['c', -0.2]),
        'by 0.200, because a (+0.500); for the other one: c (−0.200), and b (−0.100)',
      ],
      [by(['a', 0.0005], ['b', 0.0004]), 'by 0.001, because a (+0.001)'],
      [by(['a', -0.0004], ['b', -0.0005]), 'by -0.001; for the other one: b (−0.001)'],
      [by(['a', 0.0004], ['b', -0.0004]), 'by 0.000: only the order of the catalog separates them'],
    ];
    for (const [lead, text] of cases) expect(separationText(lead)).toBe(text);
  });

  it('has a meaning for each feature, and for what was learned only where there is some', () => {
    const plain = separation(features, 0, 1).by;
    expect(plain.map(({ feature }) => feature).sort()).toEqual(Object.keys(WEIGHTS).sort());
    expect(new Set(plain.map(({ meaning }) => meaning)).size).toBe(plain.length);
    const taught = separation(features, 0, 1, column(0.25, 0)).by;
    expect(taught[0]).toEqual({
      feature: 'learned',
      difference: 0.25,
      meaning: 'it was loaded for similar requests',
    });
    expect(separation(features, 1, 0, column(0.25, 0)).by.at(-1)?.difference).toBe(-0.25);
  });
});
