import { describe, expect, it } from 'vitest';
import { evaluate, type System } from '../../../bench/evaluation/evaluate.ts';
import { summarise } from '../../../bench/evaluation/evaluation.ts';
import type { Dataset, Query } from '../../../extensions/eval/dataset.ts';

const dataset: Dataset = {
  name: 'set',
  queries: [
    { id: 'q1', text: 'first', style: 'agent', namesSkill: true },
    { id: 'q2', text: 'second', style: 'problem', namesSkill: false },
    { id: 'q3', text: 'both', style: 'agent', parts: 2 },
    { id: 'n1', text: 'nothing', style: 'agent' },
  ],
  qrels: new Map([
    ['q1', new Map([['a', 1]])],
    ['q2', new Map([['b', 1]])],
    [
      'q3',
      new Map([
        ['a', 3],
        ['b', 3],
      ]),
    ],
    ['n1', new Map([['a', 0]])],
  ]),
  notes: [],
};

/** Always answers a, then c. */
const fixed: System = {
  name: 'fixed',
  search: async (_query, k) =>
    [
      { id: 'a', score: 2 },
      { id: 'c', score: 1 },
    ].slice(0, k),
};

describe('evaluate', () => {
  it('averages each measure over the queries that have an answer', async () => {
    const evaluation = await evaluate(fixed, dataset);
    expect(evaluation.queries).toBe(3);
    // q1: a at rank 1; q2: b not found; q3: a at rank 1, b missing.
    expect(evaluation.means['Hit@1']).toBeCloseTo(2 / 3, 12);
    expect(evaluation.means['MRR@10']).toBeCloseTo(2 / 3, 12);
    // Recall: (1 + 0 + 1/2) / 3.
    expect(evaluation.means['Recall@10']).toBeCloseTo(0.5, 12);
    // nDCG of q3: 7 / (7 + 7/log2(3)) = 1 / 1.6309297536 = 0.6131471928; mean (1 + 0 + 0.6131471928) / 3.
    expect(evaluation.means['nDCG@10']).toBeCloseTo(0.5377157309, 9);
    expect(evaluation.results.map((result) => result.firstHit)).toEqual([1, null, 1, null]);
    expect(evaluation.results[3]!.values).toBeNull();
  });

  it('gives the figures of each style, and of queries that name the skill, apart', async () => {
    const { groups } = await evaluate(fixed, dataset);
    expect(groups.map(({ group, queries, means }) => [group, queries, means['Hit@1']])).toEqual([
      ['agent', 2, 1],
      ['names the skill', 1, 1],
      ['problem', 1, 0],
      ['does not name it', 1, 0],
    ]);
  });

  it('measures completeness over the queries that need several documents, and only there', async () => {
    const evaluation = await evaluate(fixed, dataset);
    expect(evaluation.several).toMatchObject({ queries: 1, means: { 'Completeness@10': 0 } });
    expect(evaluation.means).not.toHaveProperty('Completeness@10');
    const single = { ...dataset, queries: dataset.queries.slice(0, 2) };
    expect((await evaluate(fixed, single)).several).toBeNull();
  });

  it('uses confidences to judge no-match queries', async () => {
    const confident: System = {
      ...fixed,
      confidence: async (query) => ({ fit: query === 'nothing' ? 0.2 : 0.7, first: 0.5 }),
    };
    const { noMatch, results } = await evaluate(confident, dataset);
    expect(noMatch).toEqual({ queries: 1, values: { 'ROC area': 1, 'False positives@95%': 0 } });
    expect(results.map((result) => result.confidence?.fit)).toEqual([0.7, 0.7, 0.7, 0.2]);
    expect((await evaluate(fixed, dataset)).noMatch).toBeNull();
  });

  it('times searches by the clock it is given, after one search off the clock', async () => {
    // Each search moves the clock by the next of these; the first is the one that is not counted.
    const durations = [1000, 4, 1, 3, 2];
    let clock = 0;
    const slow: System = {
      name: 'slow',
      search: async () => {
        clock += durations.shift() ?? 0;
        return [];
      },
    };
    const { latency, results } = await evaluate(slow, dataset, { now: () => clock });
    expect(results.map((result) => result.tookMs)).toEqual([4, 1, 3, 2]);
    expect(latency).toEqual({ p50: 2, p95: 4 });
  });

  it('reports progress after each query', async () => {
    const steps: [number, number][] = [];
    await evaluate(fixed, dataset, { onProgress: (done, total) => steps.push([done, total]) });
    expect(steps).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });

  it('gives empty figures for an empty dataset', async () => {
    const evaluation = await evaluate(fixed, { ...dataset, queries: [] });
    expect(evaluation).toMatchObject({ queries: 0, means: {}, groups: [], latency: { p50: 0, p95: 0 } });
  });

  it.each([
    [
      'repeats a document',
      [
        { id: 'a', score: 2 },
        { id: 'a', score: 1 },
      ],
    ],
    [
      'is longer than asked for',
      [
        { id: 'a', score: 2 },
        { id: 'b', score: 1 },
        { id: 'c', score: 0 },
      ],
    ],
    ['scores NaN', [{ id: 'a', score: Number.NaN }]],
  ])('refuses an answer that %s', async (_fault, ranking) => {
    const broken: System = { name: 'broken', search: async () => ranking };
    await expect(evaluate(broken, dataset, { depth: 2 })).rejects.toMatchObject({
      code: 'SYSTEM_INVALID',
      data: { system: 'broken', query: 'q1' },
    });
  });
});

describe('summarise', () => {
  it('averages only measures that every row has', () => {
    const row = (id: string, values: Record<string, number>) => {
      const query: Query = { id, text: id };
      return { query, ranking: [], values, firstHit: null, confidence: null, tookMs: 1 };
    };
    const { means } = summarise('s', 'd', 10, [row('1', { x: 1, y: 1 }), row('2', { x: 0 })]);
    expect(means).toEqual({ x: 0.5 });
  });
});
