import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertByKey, placeOf, sortByKey } from '../../../index/reader/sets.ts';

const keys = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 20 });

describe('sortByKey and insertByKey', () => {
  it('give the same order for any split of the documents', () => {
    fc.assert(
      fc.property(keys, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), (all, isNew) => {
        const keyOf = (ordinal: number) => all[ordinal]!;
        const ordinals = all.map((_, ordinal) => ordinal);
        const expected = ordinals.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
        expect([...sortByKey(ordinals, keyOf)]).toEqual(expected);
        const old = sortByKey(
          ordinals.filter((at) => !isNew[at]),
          keyOf,
        );
        const merged = insertByKey(
          old,
          ordinals.filter((at) => isNew[at]),
          keyOf,
        );
        expect([...merged]).toEqual(expected);
      }),
    );
  });
});

describe('placeOf', () => {
  it('returns the index of the key, or its insertion point', () => {
    const sorted = Uint32Array.of(0, 1, 2);
    const keyOf = (ordinal: number) => ['a', 'c', 'e'][ordinal]!;
    expect(['', 'a', 'b', 'c', 'f'].map((key) => placeOf(sorted, key, keyOf))).toEqual([0, 0, 1, 1, 3]);
  });
});
