import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSkill } from '../../../src/skills/parse.ts';
import { examples } from '../../thorough.ts';
import { expectedProblems, fixture, fixturesOf, problemsOf } from './fixtures.ts';

const encoder = new TextEncoder();
const parse = (text: string, folder = 'tea') =>
  parseSkill(encoder.encode(text), { path: 'SKILL.md', folder });
const idsOf = (text: string, folder?: string) => parse(text, folder).diagnostics.map(({ id }) => id);
const withKeys = (keys: string) => parse(`---\n${keys}\n---\n`);

describe('parseSkill', () => {
  it.each(fixturesOf('valid'))('reports nothing for $name', ({ skill }) => {
    expect(skill.diagnostics).toEqual([]);
    expect(skill.strict).toBe(true);
  });

  const expected = expectedProblems();

  it.each(fixturesOf('broken'))(
    'reports exactly the problems of $name, at their places',
    ({ name, skill }) => {
      expect(problemsOf(skill)).toEqual(expected[name]);
    },
  );

  it.each(fixturesOf('broken'))(
    'says in sentences what is wrong with $name, and what to do',
    ({ file, skill }) => {
      for (const { message, fix, path } of skill.diagnostics) {
        expect(message).toMatch(/^[A-Z`].*\.$/);
        expect(fix).toMatch(/^[A-Z].*\.$/);
        expect(path).toBe(file);
      }
    },
  );

  it.each(fixturesOf('broken').filter(({ name }) => name !== 'empty'))(
    'loses neither name nor text of $name',
    ({ skill }) => {
      expect(skill.name).not.toBe('');
      expect(skill.description).toMatch(/tea|pot|pour/i);
      const isEmpty = skill.diagnostics.some(({ id }) => id === 'body-empty');
      if (!isEmpty) expect(skill.body).toMatch(/Warm the pot|Stir once more/);
    },
  );

  it('reads every field of a valid skill', () => {
    const { skill } = fixture('valid', 'brew-tea');
    expect(skill).toMatchObject({
      name: 'brew-tea',
      description: 'Brews tea. Use when somebody asks for a cup.',
      license: 'MIT',
      compatibility: 'Needs a kettle.',
      allowedTools: ['Read', 'Bash(kettle:*)'],
      mcpTools: ['kettle_fill', 'kettle_boil'],
      enabled: true,
      body: '\n# Brew tea\n\nWarm the pot, then pour.\n',
      // Eight lines between two fences make ten.
      bodyLine: 11,
      sections: [
        { heading: [], level: 0, lines: [11, 11] },
        { heading: ['Brew tea'], level: 1, lines: [12, 14] },
      ],
    });
  });

  it('never evaluates front matter in another language', () => {
    fixture('broken', 'frontmatter-language');
    for (const language of ['js', 'JS', 'javascript', 'coffee', 'json', 'toml', '__proto__', 'constructor']) {
      const skill = parse(`---${language}\n(globalThis.evaluated = true)\n---\nBrew.`);
      expect(skill.frontmatter).toEqual({});
      expect(skill.body).toContain('Brew.');
    }
    expect(globalThis).not.toHaveProperty('evaluated');
  });

  it('keeps the body unchanged, whatever its line ends', () => {
    const body = '\r\n# A\r\n\n  text \t\r\n';
    expect(parse(`---\r\nname: tea\r\n---\r\n${body}`)).toMatchObject({ body, bodyLine: 4 });
  });

  it('reports a body of more than 500 lines', () => {
    const frontMatter = '---\nname: tea\ndescription: Brews.\n---\n';
    expect(idsOf(frontMatter + Array(500).fill('x').join('\n'))).toEqual([]);
    expect(idsOf(frontMatter + Array(501).fill('x').join('\n'))).toEqual(['body-long']);
  });

  it.each([
    ['ten odd of a hundred', `${'\u0001'.repeat(10)}${'x'.repeat(90)}`, true],
    ['nine of a hundred', `${'\u0001'.repeat(9)}${'x'.repeat(91)}`, false],
    ['a few of each kind', `\b\u000e\u001a\u001c\u001f\ufffd${'x'.repeat(54)}`, true],
    ['tabs, form feeds and escapes, as in texts of terminals', '\t\v\f\u001b'.repeat(20), false],
    ['odd ones after 8,192 characters', `${'x'.repeat(8_192)}${'\u0001'.repeat(8_192)}`, false],
    ['a tenth of the first 8,192', `${'\u0001'.repeat(820)}${'x'.repeat(9_000)}`, true],
  ])('tells other files from text: %s', (_, text, odd) => {
    const found = parse(text).diagnostics.filter(({ id }) => id === 'skill-binary');
    expect(found).toHaveLength(odd ? 1 : 0);
    for (const { severity, fix } of found)
      expect([severity, fix]).toEqual(['error', 'Replace it with a text file.']);
  });

  it('states how much of a file is odd, and how long a body is', () => {
    const [found] = parse(`${'\u0001'.repeat(20)}${'x'.repeat(30)}`).diagnostics;
    expect(found?.message).toContain('20 of its first 50 characters');
    const front = '---\nname: tea\ndescription: Brews.\n---\n';
    expect(parse(`${front} \n\n`).diagnostics).toMatchObject([{ id: 'body-empty', position: { line: 5 } }]);
    expect(parse(front + 'x\n'.repeat(501)).diagnostics).toMatchObject([
      { id: 'body-long', position: { line: 5 }, message: expect.stringContaining('502 lines') },
    ]);
  });

  it.each([
    ['name: tea\ndescription: Brews.', true],
    ['name: tea\nx: &a [1]\ny: *a', true],
    ['name: tea\nx: a\rb', false],
    ['name: tea: green', false],
    ['name: tea\nname: pot', false],
    ['name: tea\nheat: .inf', false],
    ['name: tea\n__proto__: {a: b}', false],
    ['- tea', false],
  ])('says whether any reader gets the same from %j: %s', (keys, verbatim) => {
    expect(withKeys(keys).verbatim).toBe(verbatim);
  });

  it('takes no file for verbatim with odd fences, an odd encoding or no front matter', () => {
    const text = '---\nname: tea\n---\nPour.';
    expect(parse(text).verbatim).toBe(true);
    for (const odd of [`\uFEFF${text}`, `\n${text}`, text.replace('---', '----'), 'Pour.'])
      expect(parse(odd).verbatim).toBe(false);
  });

  it('shortens front matter only where that leaves fewer problems', () => {
    const shortened = parse('---\nname: tea\n\nBrew it: now\n\n- [a\n---\nmore');
    expect(shortened).toMatchObject({ frontmatter: { name: 'tea' }, bodyLine: 3 });
    // What is only advice is no reason.
    expect(parse('---\nname: tea\nx: &a [1]\n\n# c\n---\nmore')).toMatchObject({ body: 'more' });
    expect(parse('---\nname: tea\n\n# a\uFEFF b\n---\nmore')).toMatchObject({ body: 'more' });
    // One problem would take the place of another.
    expect(parse('---\nname: tea\nx: {{{a}}}\n\n# c\n---\nmore')).toMatchObject({ body: 'more' });
  });

  it('guesses a description from the first 20,000 characters, and 1,024 of them', () => {
    expect(parse(`# T\n\n${'x'.repeat(2_000)}`).description).toBe('x'.repeat(1_024));
    expect(parse(`# T\n\n${'- a\n'.repeat(5_000)}\nText.`).description).toBe('T');
  });

  it('survives front matter built to exhaust a parser', () => {
    const layers = 'bcdefghij'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(', ')}]`);
    const bomb = ['name: tea', 'a: &a [x, x, x]', ...layers].join('\n');
    expect(withKeys(bomb)).toMatchObject({ name: 'tea', frontmatter: {} });
    expect(withKeys(`name: tea\nx: ${'['.repeat(30_000)}`).name).toBe('tea');
    expect(withKeys(`name: tea\n${'\n'.repeat(500_000)}`).name).toBe('tea');
    const endless = `---\n${'a: b\n'.repeat(100_000)}`;
    expect(parse(endless).body).toBe(endless);
  });

  it('survives huge bodies, whose first 4,096 headings begin sections', () => {
    const { sections } = parse('# h\n'.repeat(50_000));
    expect(sections).toHaveLength(4_096);
    expect(sections.at(-1)?.lines).toEqual([4_096, 50_000]);
    expect(parse('x'.repeat(2_000_000)).sections).toEqual([{ heading: [], level: 0, lines: [1, 1] }]);
  });

  it('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const skill = parseSkill(bytes, { path: 'SKILL.md', folder: 'tea' });
        expect(skill.name).not.toBe('');
      }),
    );
  });

  it('never throws for any mix of front matter pieces, and the body is always a suffix of the text', () => {
    const piece = fc.constantFrom(
      ...['---', '\n', '\r\n', '\r', 'name', 'description', ': ', ':', '- ', '|', '> ', '"', "'", '[', ']'],
      ...[
        '{',
        '}',
        '# ',
        '&a ',
        '*a',
        '!tag ',
        '\t',
        '  ',
        'x',
        '\0',
        '\uFEFF',
        '...',
        '```',
        '<!--',
        '%',
        '@',
      ],
      ...['name: tea\n', 'description: Brews: tea\n', 'enabled: false\n', '__proto__: x\n', '茶', '\uD800'],
    );
    const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => `---\n${pieces.join('')}`);
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = encoder.encode(text);
        const decoded = new TextDecoder().decode(bytes);
        const skill = parseSkill(bytes, { path: 'SKILL.md', folder: 'tea' });
        if (!skill.diagnostics.some(({ id }) => id === 'encoding-utf16')) {
          expect(decoded.endsWith(skill.body)).toBe(true);
          const before = decoded.slice(0, decoded.length - skill.body.length);
          expect(skill.bodyLine).toBe(before.split('\n').length);
        }
        expect(() => JSON.stringify(skill)).not.toThrow();
      }),
      { numRuns: examples(1_000) },
    );
  });
});
