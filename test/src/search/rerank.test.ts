import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../../index/passage.ts';
import type { FirstSignals } from '../../../src/search/features.ts';
import { RERANKED, rankingSignalsOf, withPassages } from '../../../src/search/rerank.ts';
import { toyDocument } from '../../index/toy.ts';
import { indexOf } from './small-index.ts';

const passages = async (documents: readonly IndexDocument[], query: string) => {
  const reader = await indexOf(documents);
  const words = reader.lexical.prepare(query);
  const ordinals = reader.ordinalsByKey().slice().sort();
  const signals = rankingSignalsOf(reader, ordinals, words, null);
  return { signals, found: signals.passage };
};

describe('rankingSignalsOf', () => {
  it('scores words that occur together higher than words that occur apart', async () => {
    const together = toyDocument('a', 'Kilns', ['glaze the clay on the wheel', 'nothing']);
    const apart = toyDocument('b', 'Kilns', ['glaze', 'clay', 'wheel']);
    const { found, signals } = await passages([together, apart], 'glaze clay wheel');
    expect(signals.coverage[0]).toBeCloseTo(signals.coverage[1]!, 6);
    expect(found[0]).toBeCloseTo(1, 6);
    expect(found[1]).toBeLessThan(0.5);
  });

  it('counts references, but not name and description', async () => {
    const card = toyDocument('a', 'glaze clay', ['nothing']);
    const reference = toyDocument('b', 'Kilns', ['nothing'], { references: ['glaze clay'] });
    const { found } = await passages([card, reference], 'glaze clay');
    expect([...found]).toEqual([0, 1]);
  });

  it('reads the passages of the best candidates only', async () => {
    const many = Array.from({ length: RERANKED + 8 }, (_, at) =>
      toyDocument(`k${String(at).padStart(3, '0')}`, at < RERANKED ? 'Glaze' : 'Kilns', ['the glaze']),
    );
    const { found } = await passages(many, 'glaze');
    expect(found.filter((share) => share > 0).length).toBe(RERANKED);
    expect(found.subarray(RERANKED).every((share) => share === 0)).toBe(true);
  });
});

describe('withPassages', () => {
  const COUNT = 40;
  const column = (value: (at: number) => number) =>
    Float32Array.from({ length: COUNT }, (_, at) => value(at));
  const none = column(() => 0);
  /** Later candidates are better. Two words: all have the first one, every second candidate the other. */
  const scoreOf = (at: number) => 1 + at / COUNT;
  const first: FirstSignals = {
    bm25f: column(scoreOf),
    cardBm25: none,
    coverage: none,
    identifiers: none,
    name: none,
    byTerm: Float32Array.from({ length: 2 * COUNT }, (_, at) => {
      const score = scoreOf(at >> 1);
      const other = (at >> 1) & 1 ? 0.5 : 0;
      return at & 1 ? other : score - other;
    }),
    card: column((at) => 0.25 + at / 100),
  };
  const looked: number[][] = [];
  const signals = withPassages(first, (places) => {
    looked.push([...places]);
    return {
      passage: Float32Array.from(places, (place) => place / COUNT),
      best: Float32Array.from(places, (place) => place / COUNT),
    };
  });

  it('compares only a few of the best by the words that separate them, with what the passages say', () => {
    const gaining = [...signals.separating.keys()].filter((at) => signals.separating[at]! > 0);
    expect(gaining.length).toBeGreaterThan(1);
    expect(gaining.length).toBeLessThan(RERANKED);
    for (const at of gaining) expect(at).toBeGreaterThanOrEqual(COUNT - 10);
    for (const value of signals.separating) expect(value).toBeGreaterThanOrEqual(0);
  });

  it('looks at all of a few candidates, and at none of none', () => {
    const few = Object.fromEntries(
      Object.entries(first).map(([name, values]) => [name, values.slice(0, name === 'byTerm' ? 6 : 3)]),
    ) as unknown as FirstSignals;
    const seen: number[][] = [];
    const look = (places: Uint32Array) => {
      seen.push([...places]);
      return { passage: new Float32Array(places.length), best: new Float32Array(places.length) };
    };
    withPassages(few, look);
    const empty = Object.fromEntries(Object.keys(first).map((name) => [name, new Float32Array()]));
    expect(withPassages(empty as unknown as FirstSignals, look).separating).toHaveLength(0);
    expect(seen).toEqual([[0, 1, 2], []]);
  });
});
