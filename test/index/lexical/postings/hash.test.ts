import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHash, hashTerm, orderOfHashes } from '../../../../index/lexical/postings/hash.ts';

/** Values with many ties, and any others. */
const half = fc.oneof(fc.constantFrom(0, 1, 0x10000, 0xffffffff), fc.nat({ max: 0xffffffff }));
const pairs = fc.array(fc.tuple(half, half), { maxLength: 60 });

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

describe('orderOfHashes', () => {
  it('sorts by the first half, then the second, and keeps equal pairs in place', () => {
    fc.assert(
      fc.property(pairs, (all) => {
        const sorted = [...all.keys()].sort(
          (a, b) => all[a]![0] - all[b]![0] || all[a]![1] - all[b]![1] || a - b,
        );
        expect([...orderOfHashes(Uint32Array.from(all.flat()))]).toEqual(sorted);
      }),
    );
  });
});

describe('findHash', () => {
  it('finds the position of each pair, and −1 for a missing one', () => {
    fc.assert(
      fc.property(pairs, half, half, (all, high, low) => {
        const distinct = [...new Map(all.map((pair) => [pair.join(), pair])).values()];
        distinct.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        const column = Uint32Array.from(distinct.flat());
        distinct.forEach(([first, second], at) => {
          expect(findHash(column, first, second)).toBe(at);
        });
        const there = distinct.findIndex(([first, second]) => first === high && second === low);
        expect(findHash(column, high, low)).toBe(there);
      }),
    );
  });
});
