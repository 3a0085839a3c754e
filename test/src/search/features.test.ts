import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FirstSignals,
  featuresFrom,
  type Signals,
  separatingWords,
} from '../../../src/search/features.ts';

describe('featuresFrom', () => {
  const column = (...values: number[]) => Float32Array.from(values);
  const rounded = (values: Float32Array) => Array.from(values, (value) => Number(value.toFixed(4)));
  /** Two candidates that match alike; `more` changes signals. */
  const of = (more: Partial<Signals> = {}) =>
    featuresFrom({
      bm25f: column(4, 4),
      cardBm25: column(1, 1),
      coverage: column(1, 1),
      identifiers: column(1, 1),
      name: column(1, 1),
      byTerm: column(2, 2, 2, 2),
      card: column(0.5, 0.5),
      passage: column(1, 1),
      best: column(0.5, 0.5),
      separating: column(0, 0),
      ...more,
    });
  const CAPPED = ['words', 'passage', 'identifiers'] as const;

  it('gives both cosines as a share of the best candidate’s, each capped by the other', () => {
    const none = column(0, 0, 0);
    // The second card counts 0.2 + 0.1, the third passage 0.3 + 0.2.
    const { cardShare, bestShare } = of({
      ...{ bm25f: none, cardBm25: none, coverage: none, passage: none, identifiers: none, name: none },
      ...{ byTerm: none, separating: none },
      card: column(0.6, 0.9, 0.3),
      best: column(0.5, 0.2, 0.9),
    });
    expect(rounded(cardShare)).toEqual([1, 0.5, 0.5]);
    expect(rounded(bestShare)).toEqual([1, 0.4, 1]);
  });

  it('caps words, passages and identifiers by a card that is about something else', () => {
    const honest = of();
    const stuffed = of({ card: column(0.5, 0.05), cardBm25: column(1, 0) });
    for (const name of CAPPED) {
      expect([...honest[name]]).toEqual([1, 1]);
      expect(stuffed[name][0]).toBe(1);
      expect(stuffed[name][1]).toBeLessThan(1);
      expect(stuffed[name][1]).toBeGreaterThan(0);
    }
    expect([...stuffed.coverage]).toEqual([1, 1]);
    const nearer = of({ card: column(0.5, 0.1), cardBm25: column(1, 0) });
    for (const name of CAPPED) expect(nearer[name][1]).toBeGreaterThan(stuffed[name][1]!);
  });

  it('takes the words of the card for support, too, but less than its meaning', () => {
    const stuffed = of({ card: column(0.5, 0), cardBm25: column(1, 0) });
    const byWords = of({ card: column(0.5, 0), cardBm25: column(1, 1) });
    const byMeaning = of({ card: column(0.5, 0.5), cardBm25: column(1, 0) });
    for (const name of CAPPED) {
      expect(byWords[name][1]).toBeGreaterThan(stuffed[name][1]!);
      expect(byMeaning[name][1]).toBeGreaterThan(byWords[name][1]!);
    }
    // The better one of both counts, not their sum.
    const both = of({ card: column(0.5, 0.25), cardBm25: column(1, 1) });
    expect(rounded(both.passage)).toEqual(rounded(byWords.passage));
  });

  it.each([
    ['without vectors', 0],
    ['where no card resembles the query', -0.1],
  ])('caps nothing %s', (_, cosine) => {
    const cosines = column(cosine, cosine);
    const features = of({ card: cosines, best: cosines, cardBm25: column(1, 0) });
    for (const name of CAPPED) expect([...features[name]]).toEqual([1, 1]);
    expect([...features.cardShare]).toEqual([...cosines]);
  });

  it('counts the name less the longer the query is, and not in a sentence', () => {
    const names = [1, 4, 5, 6, 7, 8, 40].map((terms) => of({ byTerm: new Float32Array(2 * terms) }).name[1]!);
    expect(names.slice(0, 2)).toEqual([1, 1]);
    expect(names[2]).toBeLessThan(1);
    expect(names[3]).toBeLessThan(names[2]!);
    expect(names[3]).toBeGreaterThan(0);
    expect(names.slice(4)).toEqual([0, 0, 0]);
    expect([...of({ name: column(1, 0.5) }).name]).toEqual([1, 0.5]);
  });
});

describe('separatingWords', () => {
  const first = (bm25f: number[], byTerm: number[]) =>
    ({ bm25f: Float32Array.from(bm25f), byTerm: Float32Array.from(byTerm) }) as FirstSignals;

  it('gives more to the leader whose word the others lack, and nothing to those that do not lead', () => {
    // Two words. All three have the first, only the second leader has the other one.
    const gains = separatingWords(first([4, 4, 1], [4, 0, 2, 2, 1, 0]), Uint32Array.of(0, 1));
    // The first word counts 1 − 0.5 · 2/2 = 0.5, the second 1 − 0.5 · 1/2 = 0.75: 2 and 1 + 1.5 = 2.5, shares 0.8 and 1
    // instead of 1 and 1. Less the smaller difference, −0.2: 0 and 0.2.
    expect(gains[0]).toBeCloseTo(0);
    expect(gains[1]).toBeCloseTo(0.2);
    expect(gains[2]).toBe(0);
  });

  it('never takes anything from a leader', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 8 }),
        (rows) => {
          const sums = rows.map((row) => row.reduce((total, part) => total + part, 0));
          const gains = separatingWords(first(sums, rows.flat()), Uint32Array.from(rows.keys()));
          for (const gain of gains) expect(gain).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
