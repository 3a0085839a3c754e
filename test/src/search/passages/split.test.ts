import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../../src/search/passages/split.ts';

describe('LineIndex', () => {
  it('finds where lines begin and end', () => {
    const index = new LineIndex('ab\r\n\n c');
    expect([0, 1, 2].map((line) => [index.start(line), index.end(line), index.line(line)])).toEqual([
      [0, 2, 'ab'],
      [4, 4, ''],
      [5, 7, ' c'],
    ]);
    expect([index.count, index.length(0, 2), index.length(0, 9)]).toEqual([3, 5, 7]);
  });

  it('counts no line after the final line end', () => {
    expect(['', 'a', 'a\n', '\n', 'a\nb'].map((text) => new LineIndex(text).count)).toEqual([0, 1, 1, 1, 2]);
  });

  it('treats only white space as blank', () => {
    const index = new LineIndex(' \t\n\r\nx\n\u00a0');
    expect([0, 1, 2, 3].map((line) => index.isBlank(line, line + 1))).toEqual([true, true, false, false]);
    expect(index.isBlank(0, 2)).toBe(true);
    expect(index.isBlank(0, 3)).toBe(false);
  });

  it('splits as String does', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', '\r\n', ' ')), (pieces) => {
        const text = pieces.join('');
        const index = new LineIndex(text);
        const lines = text.split(/\r?\n/);
        if (lines.at(-1) === '') lines.pop();
        expect(Array.from({ length: index.count }, (_, at) => index.line(at))).toEqual(lines);
      }),
    );
  });
});
