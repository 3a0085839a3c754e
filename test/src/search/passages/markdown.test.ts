import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, chunkReference, chunkText } from '../../../../src/search/passages/markdown.ts';
import { findSections } from '../../../../src/skills/sections.ts';
import { examples } from '../../../thorough.ts';

const chunk = (text: string, target: number, firstLine = 1): Chunk[] =>
  chunkText(text, firstLine, findSections(text, firstLine), target);

const shape = (chunks: readonly Chunk[]) =>
  chunks.map(({ heading, lines }) => [heading.join(' › '), lines[0], lines[1]]);

describe('chunkText', () => {
  it('keeps a short text whole, without the blank lines at its ends', () => {
    expect(chunk('\n# Tea\n\nPour.\n\n', 1_000, 5)).toEqual([
      { heading: ['Tea'], lines: [6, 8], text: '# Tea\n\nPour.' },
    ]);
  });

  it('packs neighbouring sections up to the target, under their shared headings', () => {
    // Each section has 10 characters, so two make 20 and three 30.
    const text = '# T\nabcde\n## A\nabcd\n## B\nabcd\n## C\nabcd\n';
    expect(shape(chunk(text, 20))).toEqual([
      ['T', 1, 4],
      ['T', 5, 8],
    ]);
    expect(shape(chunk(text, 10))).toEqual([
      ['T', 1, 2],
      ['T › A', 3, 4],
      ['T › B', 5, 6],
      ['T › C', 7, 8],
    ]);
  });

  it('joins a bare heading to the next section and uses its path', () => {
    expect(shape(chunk('# T\n\n## A\nabcdefghij\n## B\nabcdefghij\n', 17))).toEqual([
      ['T › A', 1, 4],
      ['T › B', 5, 6],
    ]);
  });

  it('splits a long section into equal parts between paragraphs', () => {
    const paragraph = 'x'.repeat(98);
    const text = `# T\n${Array(4).fill(paragraph).join('\n\n')}\n`;
    // 4 + 4 × 98 + 3 × 2 + 1 = 403 characters: two of about 200 for a target of 250.
    expect(shape(chunk(text, 250))).toEqual([
      ['T', 1, 4],
      ['T', 6, 8],
    ]);
  });

  it('keeps a code block whole if a better break is near', () => {
    const code = ['```', ...Array(8).fill('code code'), '', 'code', '```'].join('\n');
    const chunks = chunk(`${'word '.repeat(16)}\n\n${code}\n\n${'word '.repeat(16)}`, 140);
    expect(
      chunks.filter(({ text }) => text.includes('```')).map(({ text }) => text.split('```').length),
    ).toEqual([3]);
  });

  it('splits a huge line by characters, at white space', () => {
    const text = `# T\n${'word '.repeat(100).trim()}\n`;
    const chunks = chunk(text, 100);
    expect(chunks.slice(1).every(({ lines }) => lines[0] === 2 && lines[1] === 2)).toBe(true);
    expect(
      chunks
        .map((part) => part.text)
        .join('')
        .replaceAll(' ', ''),
    ).toBe(`#T${'word'.repeat(100)}`);
    expect(chunks.every((part) => part.text.length <= 125)).toBe(true);
  });

  it('never splits a character', () => {
    const chunks = chunk('🍵'.repeat(500), 101);
    expect(chunks.map(({ text }) => text).join('')).toBe('🍵'.repeat(500));
    for (const { text } of chunks) expect(text.isWellFormed()).toBe(true);
  });

  it('returns no chunks for an empty text', () => {
    expect(chunk('', 100)).toEqual([]);
    expect(chunk(' \n\t\n\r\n', 100)).toEqual([]);
  });

  it('covers every line that is not blank, in order, unchanged, near the target size', () => {
    const line = fc.oneof(
      fc.constantFrom('', '', '# a', '## b', '### c', '```', '- item', '    code', '\t', '| a | b |', '---'),
      fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ' ')),
      fc.nat({ max: 400 }).map((length) => 'x'.repeat(length)),
    );
    const texts = fc
      .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, end]) => lines.join(end));
    fc.assert(
      fc.property(texts, fc.integer({ min: 20, max: 300 }), (text, target) => {
        const lines = text.split('\n');
        const covered = new Set<number>();
        let last = 0;
        for (const { lines: range, text: words } of chunk(text, target, 7)) {
          const [from, to] = [range[0] - 7, range[1] - 7];
          expect(to).toBeGreaterThanOrEqual(from);
          expect(from).toBeGreaterThanOrEqual(last);
          expect(lines.slice(from, to + 1).join('\n')).toContain(words);
          expect(words.length).toBeLessThanOrEqual(1.25 * target);
          expect(words.trim()).not.toBe('');
          for (let at = from; at <= to; at++) covered.add(at);
          last = to;
        }
        // Blank as LineIndex defines it: other white space counts as text.
        const missed = [...lines.keys()].filter(
          (at) => !covered.has(at) && /[^ \t-\r]/.test(lines[at] ?? ''),
        );
        expect(missed).toEqual([]);
      }),
      { numRuns: examples(300) },
    );
  });
});

const reference = (text: string, path: string) => chunkReference(text, path);

describe('chunkReference', () => {
  it('keeps front matter out of headings and fences out of texts', () => {
    const text = '---\ntitle: Stones\nweight: 20\n---\n# Dressing\nUse a bill.\n';
    expect(reference(text, 'a.md').chunks).toEqual([
      { heading: [], lines: [2, 3], text: 'title: Stones\nweight: 20' },
      { heading: ['Dressing'], lines: [5, 6], text: '# Dressing\nUse a bill.' },
    ]);
    expect(reference('---\nNo key here\n---\nText\n', 'a.md').chunks).toMatchObject([{ lines: [1, 4] }]);
  });

  it('splits Markdown by headings and other text by paragraphs', () => {
    const text = `# One\n\n${'a '.repeat(400)}\n\n# Two\n\n${'b '.repeat(400)}\n`;
    expect(reference(text, 'a.md').chunks.map(({ heading, lines }) => [heading, lines])).toEqual([
      [['One'], [1, 3]],
      [['Two'], [5, 7]],
    ]);
    expect(reference(text, 'a.txt').chunks.map(({ heading, lines }) => [heading, lines])).toEqual([
      [[], [1, 3]],
      [[], [5, 7]],
    ]);
  });

  it('indexes the first 400 passages and reports where it stopped', () => {
    const paragraph = `${'x'.repeat(998)}\n\n`;
    const { chunks, diagnostics } = reference(paragraph.repeat(401), 'a.txt');
    expect(chunks).toHaveLength(400);
    // Every other line is blank: passage 400 is line 799.
    expect(diagnostics).toMatchObject([{ id: 'reference-cut', path: 'a.txt', position: { line: 799 } }]);
    expect(reference(paragraph.repeat(400), 'a.txt').diagnostics).toEqual([]);
  });

  it('indexes the first 2,000,000 characters, to the end of a line', () => {
    const { chunks, diagnostics } = reference(`${'x'.repeat(1_500_000)}\n${'y'.repeat(600_000)}`, 'a.txt');
    expect(chunks.every(({ text }) => !text.includes('y'))).toBe(true);
    expect(diagnostics).toHaveLength(1);
  });

  it('returns no chunks for white space', () => {
    expect(reference('\n\n', 'a.md')).toEqual({ chunks: [], diagnostics: [] });
  });
});
