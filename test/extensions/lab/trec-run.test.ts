import { describe, expect, it } from 'vitest';
import { summarise } from '../../../extensions/lab/evaluation.ts';
import { readTrecRun, trecRun } from '../../../extensions/lab/trec-run.ts';

it('trecRun writes one line per hit, with white space in ids encoded', () => {
  const row = (id: string, ranking: { id: string; score: number }[]) => ({
    query: { id, text: id },
    ranking,
    values: null,
    firstHit: null,
    confidence: null,
    tookMs: 1,
  });
  const evaluation = summarise('my system', 'set', 10, [
    row('q1', [
      { id: 'tls/rotate certs', score: 0.9 },
      { id: 'übung', score: 0.25 },
    ]),
    row('q2', []),
    row('q3', [{ id: 'b', score: -1 }]),
  ]);
  expect(trecRun(evaluation)).toBe(
    [
      'q1 Q0 tls/rotate%20certs 1 0.9 my%20system',
      'q1 Q0 übung 2 0.25 my%20system',
      'q3 Q0 b 1 -1 my%20system',
      '',
    ].join('\n'),
  );
});

describe('readTrecRun', () => {
  it('gives back what trecRun wrote, in the order of the ranks', () => {
    const run = readTrecRun(
      'q1 Q0 b 2 0.2 x\nq1 Q0 tls/rotate%20certs 1 0.9 x\n\nq2 Q0 100%25 1 -1 x\n',
      'a.run',
    );
    expect([...run]).toEqual([
      [
        'q1',
        [
          { id: 'tls/rotate certs', score: 0.9 },
          { id: 'b', score: 0.2 },
        ],
      ],
      ['q2', [{ id: '100%25', score: -1 }]],
    ]);
  });

  it('names the line that is none', () => {
    expect(() => readTrecRun('q1 Q0 a 1 0.9 x\nq1 a\n', 'a.run')).toThrow('a.run:2: expected');
  });
});
