import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashTerm } from '../../../../index/lexical/postings/hash.ts';

describe('hashTerm', () => {
  it.each([
    ['a', 7929297801672961],
    ['b', 8684336938537663],
    ['revenge', 4051478007546757],
  ])('agrees with the published cyrb53 of %s', (term, published) => {
    const [high, low] = hashTerm(term);
    // cyrb53 gives 2³² × (the lower 21 bits of the second half) + the first half.
    expect(2 ** 32 * (low & 0x1fffff) + high).toBe(published);
  });

  it('returns two unsigned 32-bit halves for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (term) => {
        for (const part of hashTerm(term)) expect(part >>> 0).toBe(part);
      }),
    );
  });
});
