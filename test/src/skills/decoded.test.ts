import { describe, expect, it } from 'vitest';
import { decoded } from '../../../src/skills/decoded.ts';

describe('decoded', () => {
  it.each([
    ['references/a%20b.md', 'references/a b.md'],
    ['%E8%8C%B6.md', '茶.md'],
    ['100%.md', '100%.md'],
    ['a%20b%zz', 'a%20b%zz'],
  ])('%s is %s', (uri, text) => {
    expect(decoded(uri)).toBe(text);
  });
});
