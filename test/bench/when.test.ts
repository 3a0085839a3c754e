import { expect, it } from 'vitest';
import { whenTable } from '../../bench/when.ts';

it('replays the choices of every wording, and names the one that is shipped', () => {
  const table = whenTable();
  expect(table.split('\n').filter((line) => / of 30 /.test(line))).toHaveLength(7);
  expect(table).toMatch(/^shipped: places/m);
});
