import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDatasetFolder } from '../../bench/evaluation/dataset-folder.ts';
import { withForeign, withhold } from '../../bench/no-match.ts';
import { FOREIGN } from '../../bench/paths.ts';
import type { Dataset } from '../../extensions/eval/dataset.ts';

function datasetOf(judged: Record<string, Record<string, number>>): Dataset {
  return {
    name: 'set',
    queries: Object.keys(judged).map((id) => ({ id, text: id })),
    qrels: new Map(Object.entries(judged).map(([id, grades]) => [id, new Map(Object.entries(grades))])),
    notes: [],
  };
}

describe('withhold', () => {
  it('removes all answers to the drawn queries and their judgements', () => {
    const { dataset, skills } = withhold(datasetOf({ a: { x: 3, y: 1 }, b: { z: 3 } }), 1);
    expect([...skills].sort()).toEqual(['x', 'y', 'z']);
    expect(dataset.queries.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(dataset.qrels.size).toBe(0);
  });

  it('keeps queries together that share a skill, directly or through other queries', () => {
    // a – x – b – y – c is one group of three, d another of one: half of four is two, so only d fits.
    const chained = datasetOf({ a: { x: 3 }, c: { y: 3 }, d: { z: 3 }, b: { x: 1, y: 1 } });
    for (const seed of [1, 2, 3, 4]) expect([...withhold(chained, 0.5, seed).skills]).toEqual(['z']);
  });

  it('changes neither queries that were not drawn nor queries without an answer', () => {
    const given = datasetOf({ a: { x: 3 }, n: {}, m: { x: 0 } });
    const { dataset, skills } = withhold(given, 0);
    expect(skills.size).toBe(0);
    expect(dataset.queries).toEqual(given.queries);
    expect(dataset.qrels).toEqual(given.qrels);
  });

  it('leaves each query all or none of its answers, and withholds at most the share', () => {
    const need = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(need, { maxLength: 15 }), fc.integer(), (needs, seed) => {
        const judged = needs.map((ids, number) => [
          `q${number}`,
          Object.fromEntries(ids.map((id) => [id, 1])),
        ]);
        const { dataset, skills } = withhold(datasetOf(Object.fromEntries(judged)), 0.5, seed);
        needs.forEach((ids, number) => {
          const kept = dataset.qrels.has(`q${number}`);
          expect(ids.filter((id) => skills.has(id))).toEqual(kept ? [] : ids);
        });
        const answerable = needs.filter((ids) => ids.length > 0).length;
        expect(needs.length - dataset.qrels.size).toBeLessThanOrEqual(0.5 * answerable);
      }),
    );
  });
});

describe('withForeign', () => {
  it('adds the queries of the other dataset without their judgements', () => {
    const own = datasetOf({ a: { x: 3 } });
    const { queries, qrels } = withForeign(own, { ...datasetOf({ a: { y: 3 }, b: {} }), name: 'elsewhere' });
    expect(queries.map(({ id }) => id)).toEqual(['a', 'elsewhere:a', 'elsewhere:b']);
    expect(qrels).toBe(own.qrels);
  });

  it('reads the shipped foreign requests without any judgement', async () => {
    const { queries, qrels } = await readDatasetFolder(FOREIGN);
    expect(queries).toHaveLength(72);
    expect(qrels.size).toBe(0);
    expect(new Set(queries.map(({ style }) => style))).toEqual(new Set(['user', 'problem', 'agent']));
  });
});
