import { describe, expect, it } from 'vitest';
import { splitFrontMatter, splitShorter } from '../../../src/skills/front-matter.ts';

const split = (text: string) => {
  const { diagnostics, ...rest } = splitFrontMatter(text, 'SKILL.md');
  return { ...rest, ids: diagnostics.map(({ id }) => id) };
};

describe('splitFrontMatter', () => {
  it('splits at the two fences and counts lines from the beginning of the file', () => {
    expect(split('---\na: b\n---\nbody\n')).toEqual({
      yaml: 'a: b\n',
      yamlLine: 2,
      body: 'body\n',
      bodyLine: 4,
      ids: [],
    });
  });

  it.each([
    ['nothing between the fences', '---\n---\nbody', '', 'body', []],
    ['no line end after the closing fence', '---\na: b\n---', 'a: b\n', '', []],
    ['spaces after the closing fence', '---\na: b\n--- \nbody', 'a: b\n', 'body', []],
    ['a longer opening fence', '-----\na: b\n---\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    ['a language that is YAML', '---yaml\na: b\n---\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    ['text right after the closing fence', '---\na: b\n---body', 'a: b\n', 'body', ['frontmatter-fence']],
    ['an indented closing fence', '---\na: b\n  ---\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    ['dots for a closing fence', '---\na: b\n...\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    ['a second byte-order mark', '\uFEFF---\na: b\n---\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    [
      'a code block around it',
      '```md\n---\nname: b\n---\nbody',
      'name: b\n',
      'body',
      ['frontmatter-not-first'],
    ],
    ['no opening fence', 'name: b\n---\nbody', 'name: b\n', 'body', ['frontmatter-unopened']],
    ['no closing fence', '---\na: b\n# T\nbody', 'a: b\n', '# T\nbody', ['frontmatter-unclosed']],
    [
      'no closing fence below a block',
      '---\na: |\n  b\n\n  c\n\nT',
      'a: |\n  b\n\n  c\n',
      '\nT',
      ['frontmatter-unclosed'],
    ],
    ['nothing but keys', '---\na: b', 'a: b', '', ['frontmatter-unclosed']],
  ])('reads front matter with %s', (_, text, yaml, body, ids) => {
    expect(split(text)).toMatchObject({ yaml, body, ids });
  });

  it.each([
    ['an empty file', ''],
    ['white space', ' \n\n'],
    ['a heading', '# Tea\n'],
    ['two rules that hold no keys', '# Tea\n\n---\n\ntext\n\n---\n'],
    ['a rule that is never matched', '---\n\nSome text.\n'],
    ['prose with a colon', 'Note: this\nis prose.\n---\n'],
    ['keys far below', `${'text\n'.repeat(50)}---\nname: b\n---\n`],
  ])('reads %s as a body without front matter', (_, text) => {
    expect(split(text)).toEqual({
      yaml: null,
      yamlLine: 1,
      body: text,
      bodyLine: 1,
      ids: ['frontmatter-missing'],
    });
  });

  it('ignores a block in another language and keeps the body below it', () => {
    expect(split('---toml\na = 1\n---\nbody')).toMatchObject({ yaml: null, body: 'body', bodyLine: 4 });
  });
});

describe('splitShorter', () => {
  it('ends the keys at a blank line before prose', () => {
    const text = '---\nname: b\n\nText.\n\n---\nmore';
    expect(splitShorter(text, splitFrontMatter(text, 'SKILL.md'), 'SKILL.md')).toMatchObject({
      yaml: 'name: b\n',
      body: '\nText.\n\n---\nmore',
      bodyLine: 3,
    });
  });

  it('does not shorten a block whose keys or last value continue to the fence', () => {
    for (const text of ['---\na: b\n\n# note\nc: d\n---\n', '---\na: b\nruns on\n---\n']) {
      expect(splitShorter(text, splitFrontMatter(text, 'SKILL.md'), 'SKILL.md')).toBeNull();
    }
  });
});
