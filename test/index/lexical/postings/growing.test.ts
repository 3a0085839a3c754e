import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingUint32 } from '../../../../index/lexical/postings/growing.ts';

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
