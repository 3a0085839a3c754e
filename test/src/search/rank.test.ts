import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Features } from '../../../src/search/features.ts';
import { rank, ranked, scoresOf, separation, WEIGHTS } from '../../../src/search/rank.ts';
import { toyDocument } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const NAMES = [
  'words',
  'coverage',
  'passage',
  'identifiers',
  'name',
  'cardShare',
  'bestShare',
  'elsewhere',
  'product',
] as const;

/** Rows of equal features. */
function features(...levels: number[]): Features {
  const columns = NAMES.map((name) => [name, Float32Array.from(levels)] as const);
  return Object.fromEntries(columns) as unknown as Features;
}

describe('rank', () => {
  it('sorts scores of either sign, and equal ones by the given order', () => {
    const level = fc.oneof(fc.constantFrom(0, -0, 0.5, -0.5), fc.float({ min: -2, max: 2, noNaN: true }));
    fc.assert(
      fc.property(fc.array(level, { maxLength: 30 }), (levels) => {
        const { order, scores } = rank(features(...levels), levels.length, (a, b) => b - a);
        const expected = [...levels.keys()].sort((a, b) => scores[b]! - scores[a]! || b - a);
        expect(order).toEqual(expected);
      }),
    );
  });

  it('has only positive weights, so more of a feature never lowers a score', () => {
    for (const weight of Object.values(WEIGHTS)) expect(weight).toBeGreaterThan(0);
  });

  it('scores nothing as 0, and at most 1 without the name', () => {
    const [none, all] = scoresOf(
      {
        ...features(0, 1),
        name: Float32Array.of(0, 0),
        elsewhere: Float32Array.of(0, 0),
        product: Float32Array.of(0, 0),
      },
      2,
    );
    expect(none).toBe(0);
    expect(all).toBeCloseTo(1, 6);
    expect(scoresOf(features(), 0)).toHaveLength(0);
  });
});

describe('ranked', () => {
  it('sorts equal skills by key, not by their place in the index', async () => {
    const reader = await indexOf(
      [toyDocument('c', 'Tea'), toyDocument('a', 'Tea')],
      [toyDocument('b', 'Tea')],
    );
    const { order } = ranked(reader, Uint32Array.of(0, 1, 2), features(0.5, 0.5, 0.5));
    expect(order).toEqual([1, 2, 0]);
    expect(ranked(reader, Uint32Array.of(0, 1, 2), features(0.5, 0.5, 0.6)).order).toEqual([2, 1, 0]);
  });
});

const column = (...values: number[]) => Float32Array.from(values);
const two: Features = {
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
    const { margin, by } = separation(two, 0, 1);
    const words = 0.5 * WEIGHTS.words;
    const card = -0.5 * WEIGHTS.cardShare;
    expect(margin).toBeCloseTo(words + card, 6);
    expect(by[0]).toMatchObject({ feature: 'words', difference: expect.closeTo(words, 6) });
    expect(by.at(-1)).toMatchObject({ feature: 'cardShare', difference: expect.closeTo(card, 6) });
  });

  it('has a meaning for each feature, and for what was learned only where there is some', () => {
    const plain = separation(two, 0, 1).by;
    expect(plain.map(({ feature }) => feature).sort()).toEqual(Object.keys(WEIGHTS).sort());
    expect(new Set(plain.map(({ meaning }) => meaning)).size).toBe(plain.length);
    const taught = separation(two, 0, 1, column(0.25, 0)).by;
    expect(taught[0]).toEqual({
      feature: 'learned',
      difference: 0.25,
      meaning: 'it answers similar requests',
    });
    expect(separation(two, 1, 0, column(0.25, 0)).by.at(-1)?.difference).toBe(-0.25);
  });
});
