import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COMPLETENESS,
  completeness,
  recall,
  reciprocalRank,
  STANDARD_MEASURES,
} from '../../../bench/evaluation/ranking.ts';
import type { Grades } from '../../../extensions/eval/measures.ts';
import { firstHit, hit, ndcg } from '../../../extensions/eval/measures.ts';

/** a and b are the best (grade 3), c helps (1), x was judged and is no use. */
const grades: Grades = new Map([
  ['a', 3],
  ['b', 3],
  ['c', 1],
  ['x', 0],
]);

describe('nDCG@k', () => {
  it('divides the discounted gain by that of the ideal order', () => {
    // DCG  of c, x, a: (2^1 − 1)/log2(2) + 0 + (2^3 − 1)/log2(4)           = 1 + 7/2          = 4.5
    // ideal a, b, c:   7/1 + 7/log2(3) + 1/log2(4) = 7 + 4.4165082750 + 0.5                   = 11.9165082750
    expect(ndcg(3).compute(['c', 'x', 'a'], grades)).toBeCloseTo(4.5 / 11.916508275, 9);
  });

  it('cuts the ideal at k as well', () => {
    expect(ndcg(1).compute(['b'], grades)).toBe(1);
    // c alone at rank 1: 1 / 7.
    expect(ndcg(1).compute(['c', 'a'], grades)).toBeCloseTo(1 / 7, 12);
  });

  it('is 1 for the ideal order however few the relevant documents are', () => {
    expect(ndcg(10).compute(['b', 'a', 'c', 'x'], grades)).toBe(1);
  });

  it('gives nothing for a negative grade, as for an unjudged document', () => {
    const spam: Grades = new Map([
      ['a', 1],
      ['s', -2],
    ]);
    // a at rank 2: 1/log2(3) = 0.6309297536
    expect(ndcg(10).compute(['s', 'a'], spam)).toBeCloseTo(0.6309297536, 9);
    expect(ndcg(10).compute(['s', 'a'], spam)).toBe(ndcg(10).compute(['new', 'a'], spam));
  });
});

describe('Hit@k and MRR@k', () => {
  it('count only documents of the highest grade that the query has', () => {
    expect(hit(1).compute(['c', 'a'], grades)).toBe(0);
    expect(hit(2).compute(['c', 'a'], grades)).toBe(1);
    expect(reciprocalRank(10).compute(['c', 'x', 'b'], grades)).toBeCloseTo(1 / 3, 12);
    expect(hit(1).compute(['c'], new Map([['c', 1]]))).toBe(1);
  });

  it('see nothing below the cut-off', () => {
    expect(hit(2).compute(['c', 'x', 'a'], grades)).toBe(0);
    expect(reciprocalRank(2).compute(['c', 'x', 'a'], grades)).toBe(0);
    expect(firstHit(['c', 'x', 'a'], grades)).toBe(3);
    expect(firstHit(['c', 'x'], grades)).toBeNull();
  });
});

describe('Recall@k', () => {
  it('counts every relevant document of any grade', () => {
    // c and a of {a, b, c}: 2/3.
    expect(recall(3).compute(['c', 'x', 'a', 'b'], grades)).toBeCloseTo(2 / 3, 12);
    expect(recall(4).compute(['c', 'x', 'a', 'b'], grades)).toBe(1);
  });
});

describe('Completeness@k', () => {
  it('asks for all documents of the highest grade', () => {
    expect(completeness(3).compute(['a', 'c', 'x', 'b'], grades)).toBe(0);
    expect(completeness(4).compute(['a', 'c', 'x', 'b'], grades)).toBe(1);
    expect(completeness(2).compute(['b', 'a'], grades)).toBe(1);
  });
});

describe('every measure', () => {
  const measures = [...STANDARD_MEASURES, COMPLETENESS, ndcg(1), ndcg(3), recall(1), completeness(2)];
  const id = fc.constantFrom(...'abcdefghijklmnop');
  const ranking = fc.uniqueArray(id, { maxLength: 14 });
  const judged = fc
    .uniqueArray(fc.tuple(id, fc.integer({ min: -1, max: 4 })), { selector: ([key]) => key })
    .map((pairs): Grades => new Map(pairs));

  it.each(measures)('$name is 0 for an empty ranking and for no relevant document', ({ compute }) => {
    expect(compute([], grades)).toBe(0);
    expect(compute(['a', 'b'], new Map())).toBe(0);
    expect(compute(['a', 'x'], new Map([['x', 0]]))).toBe(0);
  });

  it.each(measures)('$name stays in [0, 1]', (measure) => {
    fc.assert(
      fc.property(ranking, judged, (ids, known) => {
        const value = measure.compute(ids, known);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each(measures)('$name does not fall when a better document moves up', (measure) => {
    fc.assert(
      fc.property(ranking, judged, fc.nat(), (ids, known, position) => {
        fc.pre(ids.length > 1);
        const upper = position % (ids.length - 1);
        const gradeOf = (index: number) => known.get(ids[index]!) ?? 0;
        fc.pre(gradeOf(upper + 1) > gradeOf(upper));
        const swapped = [...ids];
        [swapped[upper], swapped[upper + 1]] = [ids[upper + 1]!, ids[upper]!];
        expect(measure.compute(swapped, known)).toBeGreaterThanOrEqual(measure.compute(ids, known) - 1e-12);
      }),
    );
  });

  it('rejects a cut-off that is not a rank', () => {
    for (const make of [ndcg, hit, reciprocalRank, recall, completeness]) {
      for (const k of [0, -1, 1.5, Number.NaN]) expect(() => make(k)).toThrow(RangeError);
    }
  });
});
