import { expect, it } from 'vitest';
import { TopK } from '../../index/ranking.ts';

it('a score that is no number is never kept, with or without room', () => {
  for (const most of [2, 9]) {
    const top = new TopK(most);
    [Number.NaN, 1, Number.NaN, 2, Number.NaN].forEach((score, ordinal) => {
      top.push(ordinal, score);
    });
    expect([...top.drain().ordinals]).toEqual([3, 1]);
  }
});
