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
});
