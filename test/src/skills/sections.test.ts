import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSections, firstParagraph, plainText } from '../../../src/skills/sections.ts';

const headings = (markdown: string) => findSections(markdown, 1).map(({ heading }) => heading.join(' › '));

describe('sectionsOf', () => {
  it('gives each section its path of headings and its lines in the file', () => {
    const markdown = ['intro', '# Tea', 'text', '### Deep', '## Green', '', '# Pots'].join('\n');
    expect(findSections(markdown, 10)).toEqual([
      { heading: [], level: 0, lines: [10, 10] },
      { heading: ['Tea'], level: 1, lines: [11, 12] },
      { heading: ['Tea', 'Deep'], level: 3, lines: [13, 13] },
      { heading: ['Tea', 'Green'], level: 2, lines: [14, 15] },
      { heading: ['Pots'], level: 1, lines: [16, 16] },
    ]);
  });

  it('returns headings as plain text', () => {
    expect(headings('# **Bold** `code` [link](x) ![alt](y) a_b <b>x</b> \\* &amp; #')).toEqual([
      'Bold code link alt a_b x * &',
    ]);
  });

  it('does not count a lone carriage return as a line end', () => {
    expect(findSections('a\rb\r\n# Tea\r\nx', 1)).toEqual([
      { heading: [], level: 0, lines: [1, 1] },
      { heading: ['Tea'], level: 1, lines: [2, 3] },
    ]);
  });

  it('reads a lone carriage return in a heading as a space', () => {
    expect(headings('# a\rb')).toEqual(['a b']);
  });

  it('cuts a heading after 300 characters', () => {
    expect(headings(`# ${'x'.repeat(1_000)}`)).toEqual(['x'.repeat(300)]);
    expect(headings(`# ${'x'.repeat(299)} y`)).toEqual(['x'.repeat(299)]);
  });

  it('reads marks in headings up to a bound, and leaves them as they are written beyond it', () => {
    // Two marks each, of at most 1,000.
    const many = headings('# *a*\n'.repeat(501));
    expect(many.slice(499)).toEqual(['a', '*a*']);
    // Of one text at most 200.
    const brackets = '['.repeat(201);
    expect(headings(`# *a* ${brackets}\n# *b*`)).toEqual([`*a* ${brackets}`, 'b']);
  });

  it('has no sections for an empty text, and one line for a line end', () => {
    expect(findSections('', 1)).toEqual([]);
    expect(findSections('\n', 1)).toEqual([{ heading: [], level: 0, lines: [1, 1] }]);
  });

  it('covers any text without gaps', () => {
    const line = fc.constantFrom(
      '',
      '# a',
      '## b',
      '###### c',
      'text',
      '---',
      '===',
      '```',
      '> q',
      '- # l',
      '\r',
      '<!--',
      '    x',
      '[a]: b',
    );
    const texts = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, end]) => lines.join(end));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 99 }), (text, firstLine) => {
        let next = firstLine;
        for (const { heading, level, lines } of findSections(text, firstLine)) {
          expect(lines[0]).toBe(next);
          expect(lines[1]).toBeGreaterThanOrEqual(lines[0]);
          expect(heading.length).toBeLessThanOrEqual(level);
          next = lines[1] + 1;
        }
        // A line end at the very end begins no further line.
        const count = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
        expect(next).toBe(firstLine + count);
      }),
    );
  });
});

describe('firstParagraph', () => {
  it('skips everything but top-level paragraphs', () => {
    expect(firstParagraph('# Tea\n\n```\ncode\n```\n\n- item\n\n> quote\n\nBrew *it*.\n\nPour.')).toBe(
      'Brew it.',
    );
    expect(firstParagraph('![badge](x)\n\nText.')).toBe('badge');
  });

  it('falls back to a heading', () => {
    expect(firstParagraph('## Tea\n\n- item')).toBe('Tea');
    expect(firstParagraph('- item')).toBe('');
    expect(firstParagraph('#\n\n## Tea')).toBe('Tea');
    expect(firstParagraph('a  \nb\\\nc\nd')).toBe('a b c d');
  });
});

describe('plainText', () => {
  it('keeps text that would become empty', () => {
    expect(plainText('<br>')).toBe('<br>');
    expect(plainText('<b></b> x <b></b> y')).toBe('x y');
    expect(plainText('snake_case_name and C#')).toBe('snake_case_name and C#');
  });
});
