import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  averagesOf,
  BM25F,
  type Bm25fParameters,
  idf,
  impactStep,
  saturate,
  weigh,
} from '../../../../index/lexical/postings/bm25f.ts';

/** Round numbers for arithmetic by hand. */
const plain: Bm25fParameters = {
  k1: 1,
  b: { name: 0.5, description: 0.5, body: 0.5, reference: 0.5 },
  weights: { name: 2, description: 1, body: 0.5, reference: 0.25 },
  mostInCard: 2,
  unsupported: 0.5,
};
const averages = { name: 2, description: 10, body: 100, reference: 40 };

/** Weighs one posting of one document; returns impacts instead of steps. */
function weighOne(frequencies: readonly number[], lengths: readonly number[], parameters = plain) {
  const { impacts, cardImpacts, fields } = weigh(
    Uint32Array.of(0),
    Uint8Array.from(frequencies),
    Uint32Array.from(lengths),
    averages,
    parameters,
  );
  const step = impactStep(parameters);
  return { impact: impacts[0]! * step, card: cardImpacts[0]! * step, fields: fields[0]! };
}

describe('weigh', () => {
  it('adds up the fields by weight before saturating', () => {
    // Fields of mean length: 1 name × 2 + 2 body × 0.5 = 3, saturated 3 × 2 / (1 + 3) = 1.5.
    const { impact, card, fields } = weighOne([1, 0, 2, 0], [2, 10, 100, 40]);
    expect(impact).toBeCloseTo(1.5, 4);
    // The card also has mean length: 1 × 2 / (1 + 1) = 1.
    expect(card).toBeCloseTo(1, 4);
    expect(fields).toBe(0b0101);
  });

  it('normalises by the length of each field according to b', () => {
    // A body of 300 words: 1 − 0.5 + 0.5 × 300 / 100 = 2, so 4 × 0.5 / 2 = 1, saturated 1.
    expect(weighOne([0, 0, 4, 0], [2, 10, 300, 40]).impact).toBeCloseTo(1, 4);
    // A card of 36 words, mean 12: 1 − 0.5 + 0.5 × 3 = 2, so 1 / 2, saturated 0.5 × 2 / 1.5 = 0.6667.
    expect(weighOne([0, 1, 0, 0], [6, 30, 0, 0]).card).toBeCloseTo(2 / 3, 4);
  });

  it('limits repetition in name and description', () => {
    // 2 of the 9 in the description count, plus 2 body × 0.5: 3, saturated 1.5.
    expect(weighOne([0, 9, 2, 0], [2, 10, 100, 40]).impact).toBeCloseTo(1.5, 4);
    expect(weighOne([0, 2, 2, 0], [2, 10, 100, 40])).toEqual(weighOne([0, 9, 2, 0], [2, 10, 100, 40]));
  });

  it('discounts terms that only name and description contain', () => {
    // Half of 1 name × 2: 1, saturated 1. With one reference × 0.25 the name counts in full: 2.25 × 2 / 3.25 = 1.3846.
    expect(weighOne([1, 0, 0, 0], [2, 10, 100, 40]).impact).toBeCloseTo(1, 4);
    expect(weighOne([1, 0, 0, 1], [2, 10, 100, 40]).impact).toBeCloseTo(1.3846, 4);
  });

  it('leaves the card at 0 for a term of body or references alone', () => {
    expect(weighOne([0, 0, 1, 1], [2, 10, 100, 40])).toMatchObject({ card: 0, fields: 0b1100 });
  });

  it('needs no mean length if no document has the field', () => {
    const none = { ...averages, reference: 0 };
    // As if the length were the mean: 4 × 0.25 = 1, saturated 1.
    const { impacts } = weigh(
      Uint32Array.of(0),
      Uint8Array.of(0, 0, 0, 4),
      Uint32Array.of(0, 0, 0, 7),
      none,
      plain,
    );
    expect(impacts[0]! * impactStep(plain)).toBeCloseTo(1, 4);
  });

  it('stores every impact within half a step of its true value, in 16 bits', () => {
    const counts = fc.array(fc.nat({ max: 255 }), { minLength: 4, maxLength: 4 });
    const lengths = fc.array(fc.nat({ max: 100_000 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(counts, lengths, (frequencies, length) => {
        const { k1, b, weights, mostInCard, unsupported } = BM25F;
        const worth = frequencies[2]! + frequencies[3]! > 0 ? 1 : unsupported;
        const sum = (['name', 'description', 'body', 'reference'] as const).reduce((total, field, at) => {
          const count = at < 2 ? worth * Math.min(mostInCard, frequencies[at]!) : frequencies[at]!;
          return (
            total + (weights[field] * count) / (1 - b[field] + (b[field] * length[at]!) / averages[field])
          );
        }, 0);
        const { impact } = weighOne(frequencies, length, BM25F);
        // An impact of 65,535 steps is k1 + 1, which saturation never exceeds.
        expect(impact).toBeLessThanOrEqual(k1 + 1);
        expect(Math.abs(impact - saturate(sum, k1))).toBeLessThanOrEqual(impactStep() / 2 + 1e-12);
      }),
    );
  });
});

describe('idf', () => {
  it('equals the formula of Lucene', () => {
    // ln(1 + (10 − 2 + 0.5) / (2 + 0.5)) = ln 4.4
    expect(idf(10, 2)).toBeCloseTo(1.4816, 4);
    // ln(1 + 0.5 / 10.5)
    expect(idf(10, 10)).toBeCloseTo(0.0465, 4);
  });

  it('stays positive and falls as a term gets common, even beyond the living documents', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e6 }), fc.nat({ max: 2e6 }), (documents, frequency) => {
        expect(idf(documents, frequency)).toBeGreaterThan(0);
        expect(idf(documents, frequency + 1)).toBeLessThan(idf(documents, frequency));
      }),
    );
  });
});

describe('averagesOf', () => {
  it('averages each field over the documents that have it', () => {
    // Bodies 100 and 300 → 200; one reference of 50 among two documents → 50.
    const lengths = Uint32Array.of(1, 10, 100, 0, 3, 20, 300, 50);
    expect(averagesOf(lengths)).toEqual({ name: 2, description: 15, body: 200, reference: 50 });
  });

  it('is 0 for every field without documents', () => {
    expect(averagesOf(new Uint32Array(0))).toEqual({ name: 0, description: 0, body: 0, reference: 0 });
  });
});
