import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingUint32, lowerBound } from '../../index/numbers.ts';

describe('GrowingUint32', () => {
  it('keeps every pushed number, past any capacity', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 0xffffffff }), { maxLength: 50 }),
        fc.integer({ min: 1, max: 4 }),
        (all, capacity) => {
          const growing = new GrowingUint32(capacity);
          for (const value of all) growing.push(value);
          expect(growing.length).toBe(all.length);
          expect([...growing.view()]).toEqual(all);
        },
      ),
    );
  });

  it('changes a number in place', () => {
    const growing = new GrowingUint32();
    growing.push(1);
    growing.set(0, 7);
    expect(growing.get(0)).toBe(7);
  });
});

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
