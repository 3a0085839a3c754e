import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSkill } from '../../../src/skills/parse.ts';
import { isName, isShortText, isStringMap } from '../../../src/skills/strict.ts';
import { examples } from '../../thorough.ts';
import { fixturesOf } from './fixtures.ts';

/** Front matter as the protocol's own reader returns it, or null if it refuses the skill. */
async function officially(folder: string, file: string, bytes: Uint8Array): Promise<unknown> {
  try {
    return (await skillEntry(folder, { [file]: bytes })).frontmatter;
  } catch {
    return null;
  }
}

describe('isStrict', () => {
  // The size limit is skillgate's: such front matter is not read at all.
  const fixtures = [...fixturesOf('valid'), ...fixturesOf('broken')];

  it.each(fixtures.filter(({ name }) => name !== 'frontmatter-too-large'))(
    'agrees with the protocol’s own check on $name',
    async ({ name, file, bytes, skill }) => {
      expect(skill.strict).toBe((await officially(name, file, bytes)) !== null);
    },
  );

  it.each([
    '? a\n: b',
    '? |\n  a\n: b',
    '? a',
    'metadata:\n  ? a\n  : b',
    'x: {? b: c}',
    'x: {b}',
    'x: {b, c: d}',
  ])('refuses %j, as the protocol does', async (keys) => {
    const bytes = new TextEncoder().encode(`---\nname: tea\ndescription: Brews.\n${keys}\n---\nPour.`);
    expect(await officially('tea', 'SKILL.md', bytes)).toBeNull();
    expect(parseSkill(bytes, { path: 'SKILL.md', folder: 'tea' }).strict).toBe(false);
  });

  it('accepts nothing that the protocol refuses, and reads the same front matter', async () => {
    const value = fc.constantFrom(
      ...[
        'x',
        '1',
        'true',
        '"a b"',
        "'it''s'",
        '[a, b]',
        '[a: b]',
        '{a: b}',
        '{a: }',
        '|\n  text',
        '>-\n  a\n  b',
      ],
      ...[
        '|2\n   x',
        '&a x',
        '*a',
        '!!str x',
        '- x',
        'a: b',
        'a #b',
        '"a\n  b"',
        'a\n  b',
        '[a,\n  b]',
        '.inf',
        '~',
      ],
      ...[
        '\n  k: v',
        '\n  k: 1',
        '\n  - a\n  - b',
        '\n- a',
        '\n  ? a\n  : b',
        '{a}',
        '{a, b: c}',
        '{? a: b}',
        '@x',
        '`x`',
        '%x',
        '? x',
        ':x',
        '-x',
        '{a: {b: c}}',
        '',
      ],
      ...[
        '"\\u0041"',
        '"\\q"',
        '\n  "k": "v"',
        '\n  k: v\n  k: w',
        '\n    k: v\n  l: w',
        '\n\tk: v',
        'x\u2028y',
        '[]',
      ],
      ...[
        '{}',
        '[[a], [b]]',
        '[{a: b}]',
        'a: ',
        "'a' b",
        '"a" # c',
        'null',
        '0x1F',
        '1e3',
        '\n  # c\n  k: v',
        '"',
      ],
    );
    const key = fc.constantFrom(
      'license',
      'metadata',
      'compatibility',
      'x',
      '1',
      'true',
      '"q"',
      '__proto__',
      'a b',
    );
    const keys = fc.array(
      fc.tuple(key, value).map(([name, text]) => `${name}: ${text}\n`),
      { maxLength: 3 },
    );
    const fence = fc.constantFrom('---', '--- ', '---\t', '----', '---\r');
    await fc.assert(
      fc.asyncProperty(keys, fence, fence, async (more, open, close) => {
        const text = `${open}\nname: tea\ndescription: Brews.\n${more.join('')}${close}\nPour.\n`;
        const bytes = new TextEncoder().encode(text);
        const skill = parseSkill(bytes, { path: 'SKILL.md', folder: 'tea' });
        if (skill.strict) expect(await officially('tea', 'SKILL.md', bytes)).toEqual(skill.frontmatter);
      }),
      { numRuns: examples(2_000) },
    );
  });
});

describe('isName', () => {
  it.each([
    ['tea', true],
    ['green-tea-2', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['Tea', false],
    ['green--tea', false],
    ['-tea', false],
    ['tea-', false],
    ['tea\n', false],
    ['', false],
    [7, false],
    [['tea'], false],
  ])('of %j is %s', (value, expected) => {
    expect(isName(value)).toBe(expected);
  });
});

describe('isShortText', () => {
  it('counts characters, not UTF-16 units', () => {
    expect(['a', '🍵🍵', '🍵🍵🍵', '', 7, ['a']].map((value) => isShortText(value, 2))).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });
});

describe('isStringMap', () => {
  it('accepts only texts as values', () => {
    expect([{}, { a: 'b' }, { a: 'b', c: 1 }, ['a'], 'a', null].map(isStringMap)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });
});

describe('a skill', () => {
  const file = (keys: string) => `---\nname: tea\ndescription: Brews.\n${keys}---\nPour.`;
  const plain = file('');

  it.each([
    ['as it should be', plain, true],
    ['with the longest compatibility', file(`compatibility: ${'x'.repeat(500)}\n`), true],
    ['with a longer compatibility', file(`compatibility: ${'x'.repeat(501)}\n`), false],
    ['with metadata of texts', file('metadata: {a: b}\n'), true],
    ['with metadata of numbers', file('metadata: {a: 1}\n'), false],
    ['with the longest description', plain.replace('Brews.', 'x'.repeat(1_024)), true],
    ['with a longer description', plain.replace('Brews.', 'x'.repeat(1_025)), false],
    ['without a description', plain.replace('description: Brews.\n', ''), false],
    ['without a name', plain.replace('name: tea\n', ''), false],
    ['without front matter', 'Pour.', false],
    ['below a blank line', `\n${plain}`, false],
    ['with carriage returns alone', plain.replaceAll('\n', '\r'), false],
    ['with anchors', file('x: &a b\n'), false],
  ])('%s', (_, text, expected) => {
    const bytes = new TextEncoder().encode(text);
    expect(parseSkill(bytes, { path: 'SKILL.md', folder: 'tea' }).strict).toBe(expected);
    expect(parseSkill(bytes, { path: 'SKILL.md', folder: 'pot' }).strict).toBe(false);
    expect(parseSkill(bytes, { path: 'skill.md', folder: 'tea' }).strict).toBe(false);
  });
});
