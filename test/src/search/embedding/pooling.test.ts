import { describe, expect, it } from 'vitest';
import { pooled } from '../../../../src/search/embedding/pooling.ts';

describe('pooled', () => {
  // Two texts of three tokens, two dimensions; the first text is padded on the right, the second on the left.
  const vectors = {
    values: Float32Array.of(3, 0, 0, 4, 9, 9, /* second */ 9, 9, 0, 2, 5, 0),
    texts: 2,
    tokens: 3,
    dimensions: 2,
  };
  const mask = [1n, 1n, 0n, 0n, 1n, 1n];

  it('takes the mean of the unmasked tokens', () => {
    // (3, 0) + (0, 4) has the length 5; (0, 2) + (5, 0) the length √29.
    const expected = [3 / 5, 4 / 5, 5 / Math.sqrt(29), 2 / Math.sqrt(29)];
    pooled(vectors, mask, 'mean').forEach((value, at) => {
      expect(value).toBeCloseTo(expected[at]!, 6);
    });
  });

  it('takes the first or the last token, on whichever side the padding is', () => {
    expect([...pooled(vectors, mask, 'cls')]).toEqual([1, 0, 0, 1]);
    expect([...pooled(vectors, mask, 'last')]).toEqual([0, 1, 1, 0]);
  });

  it('gives zeros for a text without tokens', () => {
    for (const pooling of ['mean', 'cls', 'last'] as const)
      expect([...pooled(vectors, [0, 0, 0, 0, 1, 0], pooling)]).toEqual([0, 0, 0, 1]);
  });
});
