import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lowerBound } from '../../index/lower-bound.ts';

it('finds the first number at or above the wanted one, within a range', () => {
  const number = fc.oneof(fc.nat(40), fc.nat(2 ** 31 - 1));
  fc.assert(
    fc.property(fc.array(number), number, fc.nat(10), fc.nat(10), (list, wanted, skip, leave) => {
      const numbers = Uint32Array.from(list).sort();
      const low = Math.min(skip, numbers.length);
      const end = Math.max(low, numbers.length - leave);
      const place = numbers.subarray(low, end).findIndex((held) => held >= wanted);
      expect(lowerBound(numbers, wanted, low, end)).toBe(place < 0 ? end : low + place);
    }),
  );
});
