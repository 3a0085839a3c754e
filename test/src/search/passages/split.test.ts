import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../../src/search/passages/lines.ts';
import { splitLines } from '../../../../src/search/passages/split.ts';

const split = (text: string, target: number, overlap = 0) => {
  const index = new LineIndex(text);
  return splitLines(index, 0, index.count, { target, overlap });
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

  it('repeats characters of a line that is split by characters', () => {
    const pieces = split('abcdefghijklmnopqrst', 10, 3);
    expect(pieces.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [7, 17],
      [14, 20],
    ]);
  });
});
