import { describe, expect, it } from 'vitest';
import { CHUNK_SIZES } from '../../../../src/search/passages/markdown.ts';
import { chunkReference } from '../../../../src/search/passages/references.ts';

const chunk = (text: string, path: string) => chunkReference(text, path, CHUNK_SIZES);

describe('chunkReference', () => {
  it('splits Markdown by headings and other text by paragraphs', () => {
    const text = `# One\n\n${'a '.repeat(400)}\n\n# Two\n\n${'b '.repeat(400)}\n`;
    expect(chunk(text, 'a.md').chunks.map(({ heading, lines }) => [heading, lines])).toEqual([
      [['One'], [1, 3]],
      [['Two'], [5, 7]],
    ]);
    expect(chunk(text, 'a.txt').chunks.map(({ heading, lines }) => [heading, lines])).toEqual([
      [[], [1, 3]],
      [[], [5, 7]],
    ]);
  });

  it('indexes the first 400 passages and reports where it stopped', () => {
    const paragraph = `${'x'.repeat(998)}\n\n`;
    const { chunks, diagnostics } = chunk(paragraph.repeat(401), 'a.txt');
    expect(chunks).toHaveLength(400);
    // Every other line is blank: passage 400 is line 799.
    expect(diagnostics).toMatchObject([{ id: 'reference-cut', path: 'a.txt', position: { line: 799 } }]);
    expect(chunk(paragraph.repeat(400), 'a.txt').diagnostics).toEqual([]);
  });

  it('indexes the first 2,000,000 characters, to the end of a line', () => {
    const { chunks, diagnostics } = chunk(`${'x'.repeat(1_500_000)}\n${'y'.repeat(600_000)}`, 'a.txt');
    expect(chunks.every(({ text }) => !text.includes('y'))).toBe(true);
    expect(diagnostics).toHaveLength(1);
  });

  it('returns no chunks for white space', () => {
    expect(chunk('\n\n', 'a.md')).toEqual({ chunks: [], diagnostics: [] });
  });
});
