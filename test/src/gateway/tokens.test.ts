import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, sliceLines, splitLines } from '../../../src/gateway/tokens.ts';

describe('estimateTokens', () => {
  it('counts a Han character as one token and Latin text by its length', () => {
    expect(estimateTokens('検索')).toBe(2);
    // 36 letters / 3.6 characters a token
    expect(estimateTokens('a'.repeat(36))).toBe(10);
    expect(estimateTokens('')).toBe(0);
  });
});

describe('linesOf', () => {
  it('splits lines as the passages do, without an empty line at the end', () => {
    expect(splitLines('a\r\nb\rc\n')).toEqual(['a', 'b\rc']);
    expect(splitLines('a\n\n')).toEqual(['a', '']);
    expect(splitLines('')).toEqual(['']);
  });
});

describe('sliceLines', () => {
  const lines = ['one', 'two', 'three', 'four'];

  it('returns all requested lines where they fit', () => {
    expect(sliceLines(lines, 2, 3, 100)).toEqual({
      text: 'two\nthree',
      lines: [2, 3],
      lineCount: 4,
      truncated: false,
    });
  });

  it('stops before the first line that does not fit and returns the next line', () => {
    // 'one' and 'two' cost ceil(3 / 3.6) + 1 = 2 tokens each, 'three' ceil(5 / 3.6) + 1 = 3.
    expect(sliceLines(lines, 1, 4, 6)).toEqual({
      text: 'one\ntwo',
      lines: [1, 2],
      lineCount: 4,
      truncated: true,
      continueAt: 3,
    });
  });

  it('cuts a line that alone exceeds the budget, and always advances', () => {
    const slice = sliceLines(['x'.repeat(1000), 'y'], 1, 2, 100);
    expect(slice.truncated).toBe(true);
    expect(slice.text.length).toBeLessThan(400);
    expect(slice.continueAt).toBe(2);
  });

  it('reads a whole file in steps without losing or repeating a line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 12, max: 60 }),
        (file, budget) => {
          const read: string[] = [];
          for (let at: number | undefined = 1; at !== undefined; ) {
            const slice = sliceLines(file, at, file.length, budget);
            read.push(slice.text);
            at = slice.continueAt;
          }
          expect(read.join('\n')).toBe(file.join('\n'));
        },
      ),
    );
  });
});
