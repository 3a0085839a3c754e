import { expect, it } from 'vitest';
import { separationText } from '../../../src/cli/scores.ts';
import type { Features } from '../../../src/search/features.ts';
import { separation } from '../../../src/search/rank.ts';

const column = (...values: number[]) => Float32Array.from(values);
const none = column(0, 0);
const two: Features = {
  words: column(1, 0.5),
  coverage: column(0.5, 0.5),
  passage: none,
  identifiers: none,
  name: none,
  cardShare: column(0.5, 1),
  bestShare: column(1, 1),
  elsewhere: none,
  product: none,
};

it('says in words what favours one skill, and what the other', () => {
  expect(separationText(separation(two, 0, 1))).toMatch(
    /because its words match the query better \(\+0\.\d{3}\); for the other one: its name/,
  );
  expect(separationText(separation(two, 0, 0))).toContain('only the order of the catalog');
});
