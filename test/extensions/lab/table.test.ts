import { describe, expect, it } from 'vitest';
import { type QueryResult, summarise } from '../../../extensions/lab/evaluation.ts';
import {
  calibrationLine,
  columns,
  evaluationTable,
  noMatchLine,
  percent,
  severalLine,
} from '../../../extensions/lab/table.ts';

const evaluation = summarise(
  'hybrid',
  'set',
  10,
  [1, 0, 1].map((value, index) => ({
    query: { id: `q${index}`, text: 'x', style: index === 0 ? 'agent' : 'user' },
    ranking: [],
    values: { 'Hit@1': value },
    firstHit: null,
    confidence: null,
    tookMs: 1 + index / 2,
  })),
);

describe('evaluationTable', () => {
  it('prints one line per system', () => {
    expect(evaluationTable([evaluation])).toBe(
      ['system  queries  Hit@1  p50 ms  p95 ms', 'hybrid        3   66.7    1.50    2.00', ''].join('\n'),
    );
  });

  it('prints the groups below their system on request', () => {
    expect(evaluationTable([evaluation], { groups: true })).toBe(
      [
        'system   queries  Hit@1  p50 ms  p95 ms',
        'hybrid         3   66.7    1.50    2.00',
        '  agent        1  100.0',
        '  user         2   50.0',
        '',
      ].join('\n'),
    );
  });
});

describe('the lines below the table', () => {
  const rows = (values: Record<string, number> | null, parts: number, confidence: number) =>
    [1, 2].map((number) => ({
      query: { id: `${parts}-${confidence}-${number}`, text: 'x', parts },
      ranking: [],
      values,
      firstHit: null,
      confidence: { fit: confidence, first: confidence / 2 },
      tookMs: 1,
    }));
  const one = rows({ 'Hit@1': 1 }, 1, 0.9);
  const two = rows({ 'Hit@1': 1, 'Completeness@10': 0.5 }, 2, 0.8);
  const none = rows(null, 1, 0.1);
  const of = (results: readonly QueryResult[]) => summarise('hybrid', 'set', 10, results);

  it('report queries that need several documents where only some do', () => {
    expect(severalLine(of([...one, ...two]))).toEqual([
      'hybrid: Completeness@10 50.0 over 2 queries that need several skills',
    ]);
    expect(severalLine(of(one))).toEqual([]);
    expect(severalLine(of(two))).toEqual([]);
  });

  it('report how well no-match queries are separated', () => {
    expect(noMatchLine(of([...one, ...none]))).toEqual([
      'hybrid: ROC area 100.0, False positives@95% 0.0 over 2 no-match queries',
    ]);
    expect(noMatchLine(of(one))).toEqual([]);
  });

  it('report the calibration of the first hit', () => {
    const right = one.map((row) => ({ ...row, firstHit: 1 }));
    // Claims of 0.45 that are right and of 0.05 that are not: 0.55 and 0.05 off.
    expect(calibrationLine(of([...right, ...none]))).toEqual([
      'hybrid: first hit right 50.0, claimed 25.0, calibration error 30.0 over 4 queries',
    ]);
    expect(calibrationLine(of(none))).toEqual([]);
    expect(calibrationLine(of(right.map((row) => ({ ...row, confidence: null }))))).toEqual([]);
  });
});

it('percent has one decimal and a dash for nothing', () => {
  expect(percent(0.4219)).toBe('42.2');
  expect(percent(undefined)).toBe('–');
});

it('columns fills short rows and gives nothing for none', () => {
  expect(columns([['a', 'bb'], ['ccc']])).toBe('a    bb\nccc\n');
  expect(columns([])).toBe('');
  expect(
    columns(
      [
        ['a', 'bb', 'c'],
        ['', 'd', 'ee'],
      ],
      [0, 1],
    ),
  ).toBe('a  bb   c\n   d   ee\n');
});
