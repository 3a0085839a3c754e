import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../../index/passage.ts';
import type { FirstSignals } from '../../../src/search/features.ts';
import { RERANKED, rankingSignalsOf, withPassages } from '../../../src/search/rerank.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
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

  it('takes the cosines of the card and of the best body passage; the card’s where there is no body', async () => {
    const plan = toyDocument('plan', 'Read plans', ['Cost of the query', 'Rows of the plan']);
    const reader = await indexOf([plan, toyDocument('forms', 'Fill in forms')]);
    const vector = await toyEmbedder().embedQuery('query plan');
    const words = reader.lexical.prepare('query plan');
    const { card, best } = rankingSignalsOf(reader, Uint32Array.of(0, 1), words, vector);
    const [name, ...body] = reader.passages.cosines(vector, 0);
    const [noBody] = reader.passages.cosines(vector, 1);
    expect([...card]).toEqual([name, noBody]);
    expect([...best]).toEqual([Math.max(...body), noBody]);
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
  it('compares only a few of the best by the words that separate them, with what the passages say', () => {
    const count = 40;
    const column = (value: (at: number) => number, length = count) =>
      Float32Array.from({ length }, (_, at) => value(at));
    const none = column(() => 0);
    /** Later candidates are better. Two words: all have the first one, every second candidate the other. */
    const scoreOf = (at: number) => 1 + at / count;
    const first: FirstSignals = {
      bm25f: column(scoreOf),
      cardBm25: none,
      coverage: none,
      identifiers: none,
      name: none,
      byTerm: column((at) => {
        const other = (at >> 1) & 1 ? 0.5 : 0;
        return at & 1 ? other : scoreOf(at >> 1) - other;
      }, 2 * count),
      card: column((at) => 0.25 + at / 100),
    };
    const { separating } = withPassages(first, (places) => {
      expect(places).toHaveLength(RERANKED);
      const shares = Float32Array.from(places, (place) => place / count);
      return { passage: shares, best: shares };
    });
    const gaining = [...separating.keys()].filter((at) => separating[at]! > 0);
    expect(gaining.length).toBeGreaterThan(1);
    expect(Math.min(...gaining)).toBeGreaterThanOrEqual(count - 10);
    expect(Math.min(...separating)).toBe(0);
  });
});
