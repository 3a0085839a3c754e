import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { findHeadings } from '../../../src/skills/headings.ts';

const root = join(import.meta.dirname, '../../..');

/** What a whole parser finds: `line level text`. */
const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(['normalize', 'block']);
blocks.block.ruler.disable(['table', 'reference']);
const parsed = (markdown: string) => {
  const tokens = blocks.parse(markdown, {});
  return tokens.flatMap(({ type, level, map, tag }, at) =>
    type === 'heading_open' && level === 0 && map
      ? `${map[0]} ${tag.slice(1)} ${tokens[at + 1]?.content}`
      : [],
  );
};
const found = (markdown: string) =>
  findHeadings(markdown).map(({ at, level, text }) => `${at} ${level} ${text}`);

describe('headings', () => {
  it.each([
    ['# One #\n\ntext\n## Two ##\n#Three', ['0 1 One', '3 2 Two']],
    ['Title\n=====\n\ntwo\nlines\n---\n\n---', ['0 1 Title', '3 2 two\nlines']],
    ['```sh\n# code\n````\n# After', ['3 1 After']],
    ['~~~\n```\n# code\n~~~\n    # code\n# After', ['5 1 After']],
    ['- item\n  # in the item\n\n  ```\n  # code\n# After', ['5 1 After']],
    ['1. item\n   ```\n# closes both', ['2 1 closes both']],
    ['> # quoted\nlazy\n# After', ['2 1 After']],
    ['<!-- a\n# comment\n\n# comment -->\n# After', ['4 1 After']],
    ['<details>\n# in HTML\n\n# After', ['3 1 After']],
    ['text <b>\n# After\r\n', ['1 1 After']],
    ['\t# code\n   # Indented', ['1 1 Indented']],
    ['', []],
  ])('of %j are %j', (markdown, expected) => {
    expect(found(markdown)).toEqual(expected);
    expect(parsed(markdown)).toEqual(expected);
  });

  it('are those of a whole Markdown parser, in the texts of this repository', () => {
    const texts = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'test/fixtures/**/*.md'], {
      cwd: root,
    })
      .map((path) => readFileSync(join(root, path), 'utf8').replace(/\r(?!\n)|\ufeff/g, ' '))
      .filter((text) => !text.includes('\0'));
    expect(texts.length).toBeGreaterThan(100);
    for (const text of texts) expect(found(text)).toEqual(parsed(text));
  });

  it('are those of a whole Markdown parser, whatever lines follow each other', () => {
    const line = fc.constantFrom(
      '# a',
      '## b #',
      '   # c',
      '    # d',
      'text',
      'more',
      '---',
      '===',
      '***',
      '',
      '',
      '```',
      '```sh',
      '~~~',
      '- a',
      '* - b',
      '2. c',
      '-',
      '  # in',
      '  text',
      '    ```',
      '> q',
      '>',
      '<!-- c',
      '-->',
      '<div>',
      '</div>',
      '<b>',
      '<pre>',
      '</pre>',
      '#e',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        expect(found(lines.join('\n'))).toEqual(parsed(lines.join('\n')));
      }),
      { numRuns: 3_000 },
    );
  });

  it('in nested lists of the largest file that is read are none', () => {
    expect(findHeadings('- a\n  - b\n'.repeat(2 ** 18 / 10))).toEqual([]);
  });
});
