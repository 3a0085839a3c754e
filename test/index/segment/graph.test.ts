import { describe, expect, it } from 'vitest';
import { recallOf } from '../../../index/segment/graph.ts';
import type { VectorIndex } from '../../../index/vectors/exact.ts';
import { exactOf } from '../../contracts/vector-index.ts';
import { mixture } from '../../contracts/vectors.ts';

describe('recallOf', () => {
  const exact = exactOf(mixture(400, 16), 16);

  /** The exact index, but of each result it returns only the rows at positions `kept`. */
  const losing = (kept: (place: number) => boolean): VectorIndex => ({
    kind: 'hnsw',
    fallback: null,
    nearest: (query, k, accept) => {
      const { ordinals, scores } = exact.nearest(query, k, accept);
      return {
        ordinals: ordinals.filter((_, place) => kept(place)),
        scores: scores.filter((_, place) => kept(place)),
      };
    },
  });

  it('is 1 for the exact index', () => {
    expect(recallOf(exact, exact)).toBe(1);
  });

  it('is the share of the k nearest rows found, not counting the row itself', () => {
    // Position 0 is the query's own row; of positions 1 to 10 the five odd ones are kept.
    expect(
      recallOf(
        losing((place) => place === 0 || place % 2 === 1),
        exact,
      ),
    ).toBeCloseTo(0.5, 9);
    expect(
      recallOf(
        losing((place) => place === 0),
        exact,
      ),
    ).toBe(0);
  });
});
