import { describe, expect, it } from 'vitest';
import { closest, quoted } from '../../../src/base/text.ts';

describe('closest', () => {
  // kitten → sitting takes three edits, kitten → mitten one, kitten → kitte one.
  const words = ['sitting', 'mitten', 'kitte'];
  it.each([
    ['orders by edits, and equals in input order', {}, ['mitten', 'kitte', 'sitting']],
    ['gives no more than the most', { most: 1 }, ['mitten']],
    ['leaves out what is further away', { within: 2 }, ['mitten', 'kitte']],
  ])('%s', (_, limits, expected) => {
    expect(closest('kitten', words, (word) => word, limits)).toEqual(expected);
  });
});

describe('quoted', () => {
  it('clips long text and escapes invisible characters', () => {
    expect(quoted('a\u0000b')).toBe('"a\\u0000b"');
    expect(quoted('x'.repeat(500))).toHaveLength(122);
  });
});
