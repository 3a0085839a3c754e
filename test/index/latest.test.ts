import { expect, it } from 'vitest';
import { Latest } from '../../index/latest.ts';

it('keeps what was asked for last, and makes it once', () => {
  const made: string[] = [];
  const latest = new Latest<string, string>(2);
  const ask = (key: string) =>
    latest.get(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['A', 'B', 'A', 'C', 'A', 'B']);
  // c took the place of b, which had not been asked for since.
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

it('keeps nothing of what could not be made', () => {
  const latest = new Latest<number, number>(1);
  const fail = () => {
    throw new Error('damaged');
  };
  expect(() => latest.get(1, fail)).toThrow('damaged');
  expect(latest.get(1, () => 7)).toBe(7);
});
