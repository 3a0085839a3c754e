import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineIndex, splitLines } from '../../../../src/search/passages/split.ts';

const split = (text: string, target: number) => {
  const index = new LineIndex(text);
  return splitLines(index, 0, index.count, target);
};

describe('splitLines', () => {
  it('extends a piece by a quarter before it splits', () => {
    expect(split(`${'x'.repeat(124)}\n`, 100)).toHaveLength(1);
    expect(split(`${'x'.repeat(60)}\n${'x'.repeat(65)}\n`, 100)).toHaveLength(2);
  });

  it('prefers the end of a paragraph, then of a list item, then of a line', () => {
    const cutBefore = (lines: string[]) => split(lines.join('\n'), 60)[1]?.lines[0];
    const text = 'x'.repeat(19);
    expect(cutBefore([text, text, '', text, text])).toBe(3);
    expect(cutBefore([text, text, `- ${text}`, text, text])).toBe(2);
    expect(cutBefore([text, text, text, text])).toBe(2);
  });

  it('does not separate a heading from what follows, unless necessary', () => {
    const text = 'x'.repeat(19);
    const lines = [text, text, '## Tea', '', text, text, text];
    // 107 characters in two pieces: the nearest end of a paragraph would be below the heading.
    expect(split(lines.join('\n'), 60).map(({ lines: [first] }) => first)).toEqual([0, 2]);
  });

  it('returns offsets that match its lines', () => {
    const text = 'one\r\n\r\ntwo\r\nthree\r\n';
    const pieces = split(text, 8);
    expect(pieces.map(({ start, end, lines }) => [text.slice(start, end), lines])).toEqual([
      ['one', [0, 0]],
      ['two', [2, 2]],
      ['three', [3, 3]],
    ]);
  });
});

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
