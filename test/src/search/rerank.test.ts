import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../../index/passage.ts';
import { RERANKED, rankingSignalsOf } from '../../../src/search/rerank.ts';
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
