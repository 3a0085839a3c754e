import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapse } from '../../../src/search/collapse.ts';

/** Candidates with the same letter are twins. */
const lettered = (letters: string) => (a: number, b: number) => letters[a] === letters[b];

describe('collapse', () => {
  it('folds twins under the best one and keeps the order of the leaders', () => {
    // Ranking 2, 0, 1, 3 with letters a b a b: 2 leads a, and 1 leads b.
    const { folded, more } = collapse([2, 0, 1, 3], 5, lettered('abab'));
    expect(folded).toEqual([
      { leader: 2, twins: [0] },
      { leader: 1, twins: [3] },
    ]);
    expect(more).toBe(false);
  });

  it('finds twins below the last leader, and reports that others follow', () => {
    expect(collapse([0, 1, 2], 1, lettered('aba'))).toEqual({
      folded: [{ leader: 0, twins: [2] }],
      more: true,
    });
  });

  it('loses no candidate and shows none twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 }), (letters) => {
        const order = [...letters].map((_, at) => at);
        const { folded, more } = collapse(order, order.length, lettered(letters));
        const shown = folded.flatMap(({ leader, twins }) => [leader, ...twins]);
        expect(shown.sort((a, b) => a - b)).toEqual(order);
        expect(more).toBe(false);
      }),
    );
  });

  it('returns the same leaders on a longer page', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 }),
        fc.nat(4),
        (letters, wanted) => {
          const order = [...letters].map((_, at) => at);
          const short = collapse(order, wanted, lettered(letters)).folded.map(({ leader }) => leader);
          const long = collapse(order, wanted + 3, lettered(letters)).folded.map(({ leader }) => leader);
          expect(long.slice(0, short.length)).toEqual(short);
        },
      ),
    );
  });
});
