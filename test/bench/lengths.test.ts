import { describe, expect, it } from 'vitest';
import { byLength } from '../../bench/lengths.ts';
import { bm25 } from '../../extensions/lab/bm25.ts';

describe('byLength', () => {
  it('sorts answerable queries that do not name their skill into quarters, shortest first', () => {
    const text = (words: number) => Array.from({ length: words }, () => 'word').join(' ');
    const lengths = [9, 1, 5, 3, 7, 2, 4, 8, 6];
    const queries = lengths.map((words) => ({ id: `q${words}`, text: text(words), namesSkill: words === 9 }));
    const qrels = new Map(queries.map(({ id }) => [id, new Map([['a', 1]])]));
    const unanswered = { id: 'none', text: text(2) };
    const { queries: found } = byLength({
      name: 'toy',
      queries: [...queries, unanswered],
      qrels,
      notes: [],
    });
    expect(found.map(({ id, style }) => [id, style])).toEqual([
      ['q1', '1–2 words'],
      ['q2', '1–2 words'],
      ['q3', '3–4 words'],
      ['q4', '3–4 words'],
      ['q5', '5–6 words'],
      ['q6', '5–6 words'],
      ['q7', '7–8 words'],
      ['q8', '7–8 words'],
    ]);
  });
});

describe('bm25', () => {
  it('scores a text outside the corpus as if it were inside', () => {
    const texts = ['clean a messy table', 'draw a chart of a table', 'deploy'];
    const built = bm25(['a', 'b', 'c'], texts);
    const scores = built.scores('chart of the table');
    texts.forEach((text, at) => {
      expect(built.scoreOf('chart of the table', text)).toBeCloseTo(scores[at]!, 10);
    });
    expect(built.scoreOf('chart of the table', 'something else')).toBe(0);
  });
});
