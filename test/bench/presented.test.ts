import { describe, expect, it } from 'vitest';
import { stagesOf } from '../../bench/presented/catalogs.ts';
import { figuresOf } from '../../bench/presented.ts';
import type { Dataset } from '../../extensions/eval/dataset.ts';

const grades = (...pairs: readonly (readonly [string, number])[]) => new Map(pairs);
const ids = Array.from({ length: 3_000 }, (_, at) => `repo/skill-${at}`);
const fitting: Dataset = {
  name: 'fitting',
  notes: [],
  queries: Array.from({ length: 50 }, (_, at) => ({ id: `f${at}`, text: `request ${at}` })),
  qrels: new Map(
    Array.from({ length: 50 }, (_, at) => [`f${at}`, grades([ids[at]!, 3], [ids[at + 100]!, 1])] as const),
  ),
};
const unfitting: Dataset = {
  name: 'unfitting',
  notes: [],
  queries: [{ id: 'u0', text: 'nothing fits this' }],
  qrels: new Map([['u0', grades([ids[200]!, 3], [ids[0]!, 1])]]),
};
const nameOf = (id: string) => id.slice('repo/'.length);
const stages = stagesOf(fitting, unfitting, ids, nameOf, 1);

describe('the catalogs', () => {
  it('hold a best skill of each request, and none that was judged for a request that nothing is to fit', () => {
    expect(stages.map(({ size, part }) => [size, part])).toEqual([
      [40, 0],
      [40, 1],
      [325, 0],
      [2_000, 0],
      [2_998, 0],
    ]);
    for (const { skills, fitting: asked } of stages) {
      expect(skills).not.toContain(ids[200]);
      expect(skills).not.toContain(ids[0]);
      for (const { id } of asked)
        expect(
          [...fitting.qrels.get(id)!].some(([skill, grade]) => grade === 3 && skills.includes(skill)),
        ).toBe(true);
    }
    // The best skill of the first request was judged for the other one.
    expect(stages.at(-1)!.fitting.map(({ id }) => id)).not.toContain('f0');
    const small = stages.filter(({ size }) => size === 40);
    expect(small.flatMap(({ fitting: asked }) => asked)).toHaveLength(49);
  });
});

describe('the figures', () => {
  it('count right, useful, wrong, no and invented skills apart, and those loaded where none fits', () => {
    const row = (_id: string, of?: readonly string[]) => ({
      way: 'uncut',
      size: 2_998,
      part: 0,
      run: 1,
      _id,
      ...(of !== undefined && { ids: [...of] }),
    });
    const [figures] = figuresOf(
      [{ way: 'uncut', size: 2_998, part: 0, before: 100, search: 0 }],
      [
        row('f1', [ids[1]!]),
        row('f2', [ids[102]!]),
        row('f3', [ids[1]!]),
        row('f4'),
        row('f5', []),
        row('u0', [ids[7]!]),
      ],
      stages,
      fitting,
    );
    expect(figures).toMatchObject({ right: 0.2, useful: 0.4, wrong: 0.2, none: 0.2, invented: 0.2 });
    expect(figures).toMatchObject({ loadedFalsely: 1, choices: 5, runs: 1 });
  });
});
