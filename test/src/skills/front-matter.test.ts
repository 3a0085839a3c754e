import { describe, expect, it } from 'vitest';
import { splitFrontMatter, splitShorter } from '../../../src/skills/front-matter.ts';
import { problemsOf } from './fixtures.ts';

const split = (text: string) => {
  const { diagnostics, ...rest } = splitFrontMatter(text, 'SKILL.md');
  return { ...rest, ids: diagnostics.map(({ id }) => id) };
};
/** What was read, and `id line:column` of each problem. */
const placed = (text: string) => {
  const found = splitFrontMatter(text, 'SKILL.md');
  return [found.yaml, found.yamlLine, found.body, found.bodyLine, ...problemsOf(found)];
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
    [
      'dots at the end of a line',
      '---\na: see more...\n# T',
      'a: see more...\n',
      '# T',
      ['frontmatter-unclosed'],
    ],
    ['hyphens at the end of a line', '---\na: b ---\n# T', 'a: b ---\n', '# T', ['frontmatter-unclosed']],
    ['dots before text', '---\na: b\n...x\nT', 'a: b\n', '...x\nT', ['frontmatter-unclosed']],
    ['hyphens before text', '---\na: b\n  --- x\nT', 'a: b\n  --- x\n', 'T', ['frontmatter-unclosed']],
    ['a hyphen in the line below', '---\na: b\nread - on', 'a: b\n', 'read - on', ['frontmatter-unclosed']],
    ['CRLF', '---\r\na: b\r\n---\r\nbody', 'a: b\r\n', 'body', []],
    ['a blank line only', '---\n\n---\nbody', '\n', 'body', []],
    ['a tab after the closing fence', '---\na: b\n---\t\nbody', 'a: b\n', 'body', []],
    ['a longer closing fence', '---\na: b\n---- \nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    ['a longer fence with text', '---\na: b\n----x\nbody', 'a: b\n', '-x\nbody', ['frontmatter-fence']],
    [
      'a rule in its closing fence',
      '---\na: b\n---x ---\nbody',
      'a: b\n',
      'x ---\nbody',
      ['frontmatter-fence'],
    ],
    ['three spaces before its fence', '   ---\na: b\n---\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    ['YAML in capitals', '--- YML \na: b\n---\nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    [
      'dots and a longer opening fence',
      '----\na: b\n...\t\nbody',
      'a: b\n',
      'body',
      ['frontmatter-fence', 'frontmatter-fence'],
    ],
    ['a closing fence after a tab', '---\na: b\n\t--- \nbody', 'a: b\n', 'body', ['frontmatter-fence']],
    [
      'a list without indentation',
      '---\na:\n- b\n- c\n\n- d',
      'a:\n- b\n- c\n',
      '\n- d',
      ['frontmatter-unclosed'],
    ],
    [
      'brackets over several lines',
      '---\na: [\n  b\n]\nc: {\n  d: e\n}\nT',
      'a: [\n  b\n]\nc: {\n  d: e\n}\n',
      'T',
      ['frontmatter-unclosed'],
    ],
    [
      'comments between keys',
      '---\n# a\nb: c\n# d\n"e": f\n# g\nT',
      '# a\nb: c\n# d\n"e": f\n',
      '# g\nT',
      ['frontmatter-unclosed'],
    ],
    [
      'a list item after a blank line and a key',
      '---\na: b\n\nc:\n- d\nT',
      'a: b\n\nc:\n- d\n',
      'T',
      ['frontmatter-unclosed'],
    ],
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
    ['keys on line 41', `${'text\n'.repeat(40)}---\nname: b\n---\n`],
    ['a fence after four spaces', '    ---\nname: b\n---\n'],
    ['a long fence with a language', '----yaml\na: b\n---\n'],
    ['a fence with two words', '---yaml front\na: b\n---\n'],
    ['a fence with a number', '---1\na: b\n---\n'],
    ['a heading above keys and a rule', '# T\nname: b\n---\nbody'],
    ['keys without a name, above a rule', 'title: b\nauthor: c\n---\nbody'],
    ['keys and prose above a rule', 'name: b\nruns on\n---\nbody'],
    ['a key that is never closed', 'name: b\nbody'],
    ['a key in the middle of a line', '# T\n\n---\nthe name: b\n---\n'],
    ['prose before keys between rules', '# T\n\n---\ntext\nname: b\n---\n'],
    ['keys without a name between rules', '# T\n\n---\ntitle: b\n---\n'],
    ['keys after a rule that is the last', '# T\n\n---\nname: b\n'],
    ['another language below text', 'text\n---js\nname: b\n---\nbody'],
    ['an indented line before keys', '---\n  a\nname: b\n'],
    ['a list without a key', '---\n- a\n- b\n'],
    ['comments', '---\n# a\n# b\n'],
    ['a fence in an indented line below prose', '---\nprose\n  ---\nbody'],
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
    expect(placed('---toml\na = 1\n---\nbody')).toEqual([null, 2, 'body', 4, 'frontmatter-language 1:4']);
    expect(splitFrontMatter('--- C#\na\n---\n', 'SKILL.md').diagnostics[0]?.message).toContain('c#');
    const open = '---toml\na = 1\nbody';
    expect(placed(open)).toEqual([null, 2, open, 1, 'frontmatter-language 1:4']);
  });

  it.each([
    ['\n---\na: b\n---\nc', ['a: b\n', 3, 'c', 5, 'frontmatter-leading-blank 1:1']],
    [
      '\n\n----\na: b\n---c',
      [
        ...['a: b\n', 4, 'c', 5],
        ...['frontmatter-leading-blank 1:1', 'frontmatter-fence 3:1', 'frontmatter-fence 5:1'],
      ],
    ],
    ['---\na: b\n  ---\nc', ['a: b\n', 2, 'c', 4, 'frontmatter-fence 3:1']],
    ['---\na: b\n\nc', ['a: b\n', 2, '\nc', 3, 'frontmatter-unclosed 3:1']],
    ['\n\nname: b\n---\nc', ['name: b\n', 3, 'c', 5, 'frontmatter-unopened 3:1']],
    ['```\n---\nname: b\n---\nc', ['name: b\n', 3, 'c', 5, 'frontmatter-not-first 2:1']],
    ['----\nprose', [null, 1, '----\nprose', 1, 'frontmatter-fence 1:1', 'frontmatter-missing 1:1']],
  ])('says where the problems of %j are', (text, expected) => {
    expect(placed(text)).toEqual(expected);
  });

  it('looks for front matter in the first 40 lines', () => {
    const text = `${'text\n'.repeat(39)}---\nname: b\n---\n`;
    expect(placed(text)).toEqual(['name: b\n', 41, text, 1, 'frontmatter-not-first 40:1']);
  });

  it.each([
    '<!-- copied -->',
    '```yaml',
    '````',
    '----------a1-b',
    'Content-Type: text/markdown',
    '  <!-- a -->\n\n```',
  ])('takes %j above front matter for what a tool left there', (noise) => {
    expect(split(`${noise}\n---\nname: b\n---\nbody`).body).toBe('body');
  });

  it.each([
    'See <!-- a -->',
    '<!-- a --> there',
    'the ```md',
    '```md text',
    '``md',
    '# ----------',
    '--------- a',
    '---------a',
    'The Content-Type: text',
    'Content-: text',
    // A block that turns out to be none.
    '```\n---',
  ])('keeps %j, which may be the author’s, in the body', (words) => {
    const text = `${words}\n---\nname: b\n---\nbody`;
    expect(split(text)).toMatchObject({ yaml: 'name: b\n', body: text, bodyLine: 1 });
  });

  it('looks for an indented closing fence in the first 65,536 characters', () => {
    const keys = (length: number) => `a: ${'b'.repeat(length - 4)}\n`;
    expect(split(`---\n${keys(65_000)} ---\nbody`).ids).toEqual(['frontmatter-fence']);
    expect(split(`---\n${keys(65_600)} ---\nbody`).ids).toEqual(['frontmatter-unclosed']);
  });
});

describe('splitShorter', () => {
  const shorter = (text: string) => {
    const found = splitShorter(text, splitFrontMatter(text, 'SKILL.md'), 'SKILL.md');
    return found && [found.yaml, found.yamlLine, found.body, found.bodyLine, ...problemsOf(found)];
  };

  it.each([
    ['a blank line', '---\nname: b\n', '\nText.\n\n---\nmore', []],
    ['white space', '---\nname: b\n', ' \t\r\nText.\n\n---\nmore', []],
    ['a heading', '---\nname: b\n', '# Text\n\n---\nmore', []],
    ['a mark of a merge', '---\nname: b\n', '<<<<<<< HEAD\n---\nmore', []],
    ['a blank line, between two odd fences', '----\nname: b\n', '\nText.\n\n----\nmore', ['1:1']],
  ])('ends the keys at %s', (_, front, body, odd) => {
    const fences = odd.map((place) => `frontmatter-fence ${place}`);
    expect(shorter(front + body)).toEqual(['name: b\n', 2, body, 3, ...fences, 'frontmatter-unclosed 3:1']);
  });

  it('keeps the problems above the keys', () => {
    expect(shorter('\n----\nname: b\n\nText.\n\n----\nmore')?.slice(4)).toEqual([
      ...['frontmatter-leading-blank 1:1', 'frontmatter-fence 2:1', 'frontmatter-unclosed 4:1'],
    ]);
  });

  it('cuts at the same place where lines end with carriage returns', () => {
    const text = '---\rname: b\r\rText.\r\r---\rmore';
    expect(shorter(text)?.slice(0, 3)).toEqual(['name: b\n', 2, '\rText.\r\r---\rmore']);
  });

  it.each([
    ['there is no front matter', '# Tea\n'],
    ['the keys continue to the fence', '---\na: b\n\n# note\nc: d\n---\n'],
    ['the last value continues', '---\na: b\nruns on\n---\n'],
    ['a line begins like a merge and is none', '---\na: b\n<< runs on\n---\n'],
    ['nothing follows the keys', '---\nname: b\n\n---\nmore'],
    ['there are no keys', '---\n# note\ntext\n---\nmore'],
  ])('does not shorten a block where %s', (_, text) => {
    expect(shorter(text)).toBeNull();
  });
});
