import { describe, expect, it } from 'vitest';
import { summarise } from '../../../src/evaluation/evaluation.ts';
import { columns, evaluationTable, percent } from '../../../src/evaluation/table.ts';

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
  it('prints one line a system', () => {
    expect(evaluationTable([evaluation])).toBe(
      ['system  queries  Hit@1  p50 ms  p95 ms', 'hybrid        3   66.7    1.50    2.00', ''].join('\n'),
    );
  });

  it('prints the groups below their system where they are asked for', () => {
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
