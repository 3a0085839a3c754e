import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batches, pooled } from '../../bench/catalog-sizes.ts';
import { summarise } from '../../bench/evaluation/evaluation.ts';
import type { Dataset } from '../../extensions/eval/dataset.ts';

const ids = Array.from({ length: 60 }, (_, number) => `s${number}`);

/** Query n needs the skills of its list; an empty list makes it a no-match query. */
function datasetOf(needs: readonly (readonly number[])[]): Dataset {
  return {
    name: 'set',
    queries: needs.map((_, number) => ({ id: `q${number}`, text: 'x' })),
    qrels: new Map(
      needs.map((skills, number) => [`q${number}`, new Map(skills.map((skill) => [`s${skill}`, 1]))]),
    ),
    notes: [],
  };
}

const need = fc.uniqueArray(fc.nat({ max: 59 }), { maxLength: 4 });

describe('batches', () => {
  it('hold every answerable query once, in a catalog with all its answers', () => {
    fc.assert(
      fc.property(fc.array(need, { maxLength: 20 }), fc.integer({ min: 8, max: 60 }), (needs, size) => {
        const dataset = datasetOf(needs);
        const all = batches(dataset, ids, size);
        const asked = all.flatMap(({ queries }) => queries.map(({ id }) => id));
        const answerable = dataset.queries.filter((_, number) => needs[number]!.length > 0);
        expect([...asked].sort()).toEqual(answerable.map(({ id }) => id).sort());
        for (const { queries, skills } of all) {
          expect(skills.size).toBe(size);
          for (const { id } of queries)
            for (const skill of dataset.qrels.get(id)!.keys()) expect(skills).toContain(skill);
        }
      }),
    );
  });

  it('keep the answers of a batch to half of its catalog', () => {
    const dataset = datasetOf(Array.from({ length: 30 }, (_, number) => [number]));
    const all = batches(dataset, ids, 20);
    // 30 queries with one answer each, ten answers a catalog of 20.
    expect(all.map(({ queries }) => queries.length)).toEqual([10, 10, 10]);
  });

  it('are the same for the same seed', () => {
    const dataset = datasetOf([[1], [2], [3, 4]]);
    expect(batches(dataset, ids, 10, 3)).toEqual(batches(dataset, ids, 10, 3));
    expect(batches(dataset, ids, 10, 3)).not.toEqual(batches(dataset, ids, 10, 4));
  });
});

describe('pooled', () => {
  it('gives every query the same weight, regardless of its batch', () => {
    const batch = (values: readonly number[]) =>
      summarise(
        'hybrid',
        'set',
        10,
        values.map((value, number) => ({
          query: { id: `q${number}`, text: 'x' },
          ranking: [],
          values: { m: value },
          firstHit: null,
          confidence: null,
          tookMs: 1,
        })),
      );
    const [whole, ...others] = pooled([batch([1, 1, 1]), batch([0])]);
    expect(others).toEqual([]);
    // (1 + 1 + 1 + 0) / 4, not the mean of the batches' means 1 and 0.
    expect(whole).toMatchObject({ system: 'hybrid', queries: 4, means: { m: 0.75 } });
  });
});
