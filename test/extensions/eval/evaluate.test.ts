import { expect, it } from 'vitest';
import type { Dataset } from '../../../extensions/eval/dataset.ts';
import { compare, evaluate } from '../../../extensions/eval/evaluate.ts';

const dataset: Dataset = {
  name: 'set',
  queries: ['q1', 'q2', 'q3', 'n1'].map((id) => ({ id, text: `text of ${id}` })),
  // Queries 1 and 2 want a; query 3 wants both b and c; nothing answers n1.
  qrels: new Map([
    ['q1', new Map([['a', 1]])],
    ['q2', new Map([['a', 1]])],
    ['q3', new Map(['c', 'b'].map((id) => [id, 3]))],
    ['n1', new Map([['a', 0]])],
  ]),
  notes: [],
};

const rankings = new Map([
  ['q1', ['a', 'x']],
  ['q2', ['x', 'a']],
]);

it('averages each measure over the queries that some skill answers, and lists those that are missed', () => {
  const { queries, means, missed } = evaluate(dataset, rankings);
  expect(queries).toBe(3);
  expect(means['Hit@1']).toBeCloseTo(1 / 3, 12);
  expect(means['Hit@5']).toBeCloseTo(2 / 3, 12);
  // q1: 1; q2: 1/log2(3) = 0.6309297536; q3: 0. Their mean: 1.6309297536 / 3.
  expect(means['nDCG@10']).toBeCloseTo(0.5436432512, 9);
  expect(missed).toEqual([
    { query: 'q2', text: 'text of q2', wanted: ['a'], rank: 2, ranking: ['x', 'a'] },
    { query: 'q3', text: 'text of q3', wanted: ['b', 'c'], rank: null, ranking: [] },
  ]);
});

it('gives figures of 0 where no query has an answer', () => {
  const { queries, means } = evaluate({ ...dataset, qrels: new Map() }, rankings);
  expect({ queries, means }).toEqual({ queries: 0, means: { 'Hit@1': 0, 'Hit@5': 0, 'nDCG@10': 0 } });
});

it('compares with an earlier run, query by query', () => {
  const before = evaluate(
    dataset,
    new Map([
      ['q1', ['x']],
      ['q2', ['a']],
    ]),
  );
  const { baseline, won, lost } = compare(before, evaluate(dataset, rankings));
  expect(baseline).toBeCloseTo(1 / 3, 12);
  expect([won, lost].map((results) => results.map(({ query }) => query))).toEqual([['q1'], ['q2']]);
});
