import { describe, expect, it } from 'vitest';
import { featuresFrom } from '../../../src/search/features.ts';
import { featuresOf } from '../../../src/search/rerank.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const embedder = toyEmbedder();
const DOCUMENTS = [
  toyDocument('query-plan', 'Read plans', ['Cost of the query', 'Rows of the plan']),
  toyDocument('forms', 'Fill in forms'),
  toyDocument('tables', 'Clean tables', ['Mind the plan']),
];

const features = async (query: string, withVector = true) => {
  const reader = await indexOf(DOCUMENTS);
  const vector = withVector ? await embedder.embedQuery(query) : null;
  const ordinals = Uint32Array.from([0, 1, 2]);
  return { reader, vector, ...featuresOf(reader, ordinals, reader.lexical.prepare(query), vector) };
};

describe('featuresOf', () => {
  it('gives words as shares: of the best candidate’s score, of the query’s weight, of the name’s words', async () => {
    const { words, coverage, nameInQuery } = await features('the query plan');
    expect(words[0]).toBe(1);
    expect(words[1]).toBe(0);
    expect(words[2]).toBeGreaterThan(0);
    expect(words[2]).toBeLessThan(1);
    expect(coverage[0]).toBeCloseTo(1);
    expect(coverage[1]).toBe(0);
    expect(Array.from(nameInQuery)).toEqual([1, 0, 0]);
  });

  it('gives the cosines of the card and of the best body passage, the card’s where there is no body', async () => {
    const { card, best, reader, vector } = await features('the query plan');
    for (const ordinal of [0, 1, 2]) {
      const cosines = reader.passageCosines(vector!, ordinal);
      const body = cosines.filter((_, at) => reader.passageKinds(ordinal)[at] === 'body');
      expect(card[ordinal]).toBe(cosines[0]);
      expect(best[ordinal]).toBe(body.length > 0 ? Math.max(...body) : cosines[0]);
    }
  });

  it('gives either as a share of the best candidate’s, as far as the other bears it out', () => {
    const column = (...values: number[]) => Float32Array.from(values);
    const none = column(0, 0, 0);
    const others = { coverage: none, nameInQuery: none, passage: none, identifiers: none };
    const signals = { bm25f: none, cardBm25: none, ...others };
    // The card of the second counts 0.2 + 0.1, the passage of the third 0.3 + 0.2.
    const { cardShare, bestShare } = featuresFrom({
      ...signals,
      card: column(0.6, 0.9, 0.3),
      best: column(0.5, 0.2, 0.9),
    });
    expect(Array.from(cardShare, (share) => Number(share.toFixed(4)))).toEqual([1, 0.5, 0.5]);
    expect(Array.from(bestShare, (share) => Number(share.toFixed(4)))).toEqual([1, 0.4, 1]);
  });

  it('has no cosines without a vector, and is all zeros for words that nobody has', async () => {
    const { card, best } = await features('the query plan', false);
    expect([...card, ...best]).toEqual([0, 0, 0, 0, 0, 0]);
    const { words, coverage } = await features('zebra', false);
    expect([...words, ...coverage]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
