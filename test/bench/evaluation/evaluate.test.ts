import { describe, expect, it } from 'vitest';
import { evaluate, type System } from '../../../bench/evaluation/evaluate.ts';
import type { Dataset } from '../../../extensions/eval/dataset.ts';

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
});
