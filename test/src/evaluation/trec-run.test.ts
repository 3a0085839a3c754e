import { expect, it } from 'vitest';
import { summarise } from '../../../src/evaluation/evaluation.ts';
import { trecRun } from '../../../src/evaluation/trec-run.ts';

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
