import { describe, expect, it } from 'vitest';
import { kebab } from '../../../src/skills/fields.ts';
import { parseSkill } from '../../../src/skills/parse.ts';
import type { Skill } from '../../../src/skills/skill.ts';
import { problemsOf } from './fixtures.ts';

function skillWith(keys: string): Skill {
  const text = `---\ndescription: Brews.\n${keys}\n---\nPour.`;
  return parseSkill(new TextEncoder().encode(text), { path: 'SKILL.md', folder: 'tea' });
}

describe('readFields', () => {
  it.each([
    ['name: 007', '007'],
    ['name: true', 'true'],
    ['name: 1.0', '1.0'],
    ['name: [Green Tea]', 'Green Tea'],
    ['name: "  spaced  "', 'spaced'],
    ['name: Brew_Tea', 'Brew_Tea'],
    ['name:', 'tea'],
    ['name: null', 'tea'],
    ['name: ""', 'tea'],
    ['name: " "', 'tea'],
    ['name: []', 'tea'],
    ['name: [Green, null, Tea]', 'Green, Tea'],
    ['name: [[a, b], c]', 'a, b, c'],
    ['title: No name', 'tea'],
  ])('reads the name of `%s` as %s', (keys, name) => {
    expect(skillWith(keys).name).toBe(name);
  });

  it.each([
    ['tags: [Hot, Green Tea]', ['Hot', 'Green Tea']],
    ['tags: hot, green tea', ['hot', 'green tea']],
    ['keywords: hot\nmetadata:\n  tags: [cold]\n  category: drinks', ['hot', 'cold', 'drinks']],
    ['tags: [hot, 7, null, hot]', ['hot', '7']],
    ['tags:', []],
    ['tags: 7', ['7']],
    ['tags: |\n  hot; green tea\n  cold,, ', ['hot', 'green tea', 'cold']],
    ['tags: ["", " hot ", {a: b, c: null}]', ['hot', 'b']],
    ['metadata: plain text\ntag: hot', ['hot']],
    ['labels: a\ncategories: b\ncategory: c', ['a', 'c', 'b']],
  ])('reads the tags of %j', (keys, tags) => {
    expect(skillWith(keys).tags).toEqual(tags);
  });

  it.each([
    ['allowed-tools: Read Bash(git add:*) Write', ['Read', 'Bash(git add:*)', 'Write']],
    ['allowed-tools: Read, Bash(a, b), Read', ['Read', 'Bash(a, b)']],
    ['allowed-tools:\n  - Read\n  - Bash(x y)', ['Read', 'Bash(x y)']],
    ['allowed_tools: Read', ['Read']],
    ['allowed-tools: Bash(unclosed x', ['Bash(unclosed x']],
    ['allowed-tools:', []],
    ['allowed-tools: ["Read Write"]', ['Read Write']],
    ['allowed-tools: ["", " Read ", Read]', ['Read']],
    ['allowed-tools: Bash(a)b (c, d) Read', ['Bash(a)b', '(c, d)', 'Read']],
    ['allowed-tools: Read\nallowed_tools: Write', ['Read']],
  ])('reads the tools of %j', (keys, tools) => {
    expect(skillWith(keys).allowedTools).toEqual(tools);
  });

  it.each([
    ['enabled: false', false],
    ['enabled: "no"', false],
    ['disabled: true', false],
    ['metadata:\n  enabled: "false"', false],
    ['enabled: true', true],
    ['disabled: false', true],
    ['enabled: sometimes', true],
    ['enabled: " OFF "', false],
    ['enabled: 0', false],
    ['disabled: 1', false],
    ['disabled: "Yes"', false],
    ['metadata:\n  disabled: true', false],
    ['enabled: [false]', true],
    ['disabled: [true]', true],
    ['enabled:', true],
    ['disable-model-invocation: true', true],
  ])('reads %j as enabled: %s', (keys, enabled) => {
    expect(skillWith(keys).enabled).toBe(enabled);
  });

  it('reads a title from every key that authors use', () => {
    expect(skillWith('displayName: Tea Time').title).toBe('Tea Time');
    expect(skillWith('metadata:\n  title: Tea Time').title).toBe('Tea Time');
    expect(skillWith('display-name: Tea Time').title).toBe('Tea Time');
    expect(skillWith('metadata:\n  display_name: Tea Time').title).toBe('Tea Time');
    expect(skillWith('title: " "\nmetadata:\n  title: " Tea Time "').title).toBe('Tea Time');
    expect(skillWith('name: tea').title).toBeUndefined();
  });

  it('keeps licence and compatibility as they were written', () => {
    expect(skillWith('license: 2.0\ncompatibility: [a kettle, null, a pot]')).toMatchObject({
      license: '2.0',
      compatibility: 'a kettle, a pot',
    });
    const blank = skillWith('license: " "\ncompatibility: ""');
    expect(blank).not.toHaveProperty('license');
    expect(blank).not.toHaveProperty('compatibility');
    expect(skillWith('license: " MIT "\ncompatibility: " A pot. "')).toMatchObject({
      license: 'MIT',
      compatibility: 'A pot.',
    });
  });

  it('reads descriptions that are lists or translations as their texts', () => {
    const parse = (keys: string) =>
      parseSkill(new TextEncoder().encode(`---\n${keys}\n---\n`), { path: 'SKILL.md', folder: 'tea' });
    expect(parse('description: [Brews, pours]').description).toBe('Brews, pours');
    expect(parse('description:\n  en: Brews\n  de: Brüht').description).toBe('Brews\nBrüht');
    expect(parse('description:\n  en: Brews\n  fr:\n  de: Brüht').description).toBe('Brews\nBrüht');
    expect(parse('description: 7').description).toBe('7');
  });
});

describe('judgeFields', () => {
  const idsOf = (keys: string) => skillWith(keys).diagnostics.map(({ id }) => id);

  // The fence is on line 1, the description on line 2.
  it.each([
    ['license: MIT', ['name-missing 2:1'], 'Add `name: tea`'],
    ['name: ""', ['name-missing 3:1'], 'Add `name: tea`'],
    ['name: " "', ['name-missing 3:1'], 'Add `name: tea`'],
    ['name : tea', [], ''],
    ['name: [tea]', ['name-type 3:1'], 'in quotes'],
    ['license: MIT\nname: Green Tea', ['name-format 4:1', 'name-folder 4:1'], 'like `green-tea`'],
    ['name: ☕', ['name-format 3:1', 'name-folder 3:1'], 'like `my-skill`'],
    ['name: tea-', ['name-format 3:1', 'name-folder 3:1'], 'like `tea`'],
    [`name: ${'x'.repeat(65)}`, ['name-too-long 3:1', 'name-folder 3:1'], 'Shorten the name'],
    ['name: pot', ['name-folder 3:1'], 'the same name'],
    ['name: tea\ncompatibility: ""', ['compatibility-invalid 4:1'], 'one sentence'],
    [`name: tea\ncompatibility: ${'x'.repeat(500)}`, [], ''],
    [`name: tea\ncompatibility: ${'x'.repeat(501)}`, ['compatibility-invalid 4:1'], 'one sentence'],
    ['name: tea\ncompatibility: 7', ['compatibility-invalid 4:1'], 'one sentence'],
    ['name: tea\nmetadata: {}', [], ''],
    ['name: tea\nmetadata:', ['metadata-type 4:1'], 'as they are'],
    ['name: tea\nmetadata: [a]', ['metadata-type 4:1'], 'as they are'],
    ['name: tea\nmetadata: {a: b, c: 1}', ['metadata-type 4:1'], 'as they are'],
    ['name: tea\nallowed-tools: a, b, c, d', ['allowed-tools-type 4:1'], 'Write `a b c …`'],
    ['name: tea\nallowed-tools: [a]', ['allowed-tools-type 4:1'], 'Write `a …`'],
    ['name: tea\nmetadata:\n  openclaw:\n    requires: {bins: [uv]}', ['metadata-type 4:1'], 'nested keys'],
    ['name: tea\nallowed-tools: a b', [], ''],
    ['name: tea\nallowed-tools: ["Bash(git add *)", Read]', [], ''],
    ['name: tea\nallowed-tools: a)', ['tool-unknown 4:1'], 'in parentheses'],
    ['name: tea\nmetadata:\n  skillgate.tools: a!', ['tool-unknown 4:1'], 'letters, digits'],
    ['name: tea\nx: 1\ny: 2', ['key-unknown 4:1'], 'below `metadata:`'],
    ['xs: 1\nx : 1\nname: tea', ['key-unknown 3:1'], 'below `metadata:`'],
    ['name: tea\ndisabled: true', ['skill-disabled 2:1'], 'Remove'],
    ['name: tea\ndisable-model-invocation: true', [], ''],
    ['name: tea\nuser-invocable: false\nx: 1', ['key-unknown 5:1'], 'if no host reads them'],
    ['name: tea\nmetadata:\n  enabled: "no"', ['skill-disabled 2:1'], 'Remove `enabled: false`'],
  ])('says where the problems of %j are, and what to do', (keys, problems, fix) => {
    const skill = skillWith(keys);
    expect(problemsOf(skill)).toEqual(problems);
    expect(skill.diagnostics[0]?.fix ?? '').toContain(fix);
  });

  it('finds the line of a key, not of one that begins or ends like it', () => {
    const { diagnostics } = skillWith('names: a\nmetadata:\n  name: b\nname: pot');
    expect(problemsOf({ diagnostics })).toEqual(['name-folder 6:1', 'key-unknown 3:1']);
  });

  it.each([
    ['', ['description-missing 2:1']],
    ['description: " "', ['description-missing 3:1']],
    ['description: [Brews]', ['description-type 3:1']],
    [`description: ${'x'.repeat(1_025)}`, ['description-too-long 3:1']],
  ])('judges the description of %j', (keys, problems) => {
    const text = `---\nname: tea\n${keys}\n---\nPour.`;
    const skill = parseSkill(new TextEncoder().encode(text), { path: 'SKILL.md', folder: 'tea' });
    expect(problemsOf(skill)).toEqual(problems);
  });

  it('states how long a name or description is', () => {
    const messages = (keys: string) => skillWith(keys).diagnostics.map(({ message }) => message);
    expect(messages(`name: ${'x'.repeat(65)}`)[0]).toContain('65 characters');
    expect(messages('name: pot')[0]).toMatch(/pot.* tea/);
  });

  it('counts characters of a description, not UTF-16 units', () => {
    const parse = (description: string) =>
      parseSkill(new TextEncoder().encode(`---\nname: tea\ndescription: ${description}\n---\nPour.`), {
        path: 'SKILL.md',
        folder: 'tea',
      });
    expect(parse('🍵'.repeat(1_024)).diagnostics).toEqual([]);
    expect(parse('🍵'.repeat(1_025)).diagnostics.map(({ id }) => id)).toEqual(['description-too-long']);
  });

  it.each([
    'metadata:\n  skillgate.tools: pdf_read team/pdf.write-2',
    'allowed-tools: Read Bash(git add:*) mcp__pdf__read mcp__pdf__* * WebFetch(domain:example.org)',
  ])('accepts the tools of `%s`', (keys) => {
    expect(idsOf(`name: tea\n${keys}`)).toEqual([]);
  });

  it('reports invalid tool names, at their key', () => {
    const { diagnostics } = skillWith(
      `name: tea\nmetadata:\n  skillgate.tools: pour brew! ${'x'.repeat(129)}`,
    );
    // Fence, description, name, metadata.
    expect(diagnostics).toMatchObject([{ id: 'tool-unknown', severity: 'warning', position: { line: 4 } }]);
    expect(diagnostics[0]?.message).toBe(`Invalid tool names: "brew!", "${'x'.repeat(129)}".`);
    expect(idsOf('name: tea\nallowed-tools: Read "Bash(git'.replaceAll('"', ''))).toEqual(['tool-unknown']);
  });

  it('reads the key for tools whose prefix is reserved, and says which one to use', () => {
    const { mcpTools, diagnostics } = skillWith(
      'name: tea\nmetadata:\n  io.modelcontextprotocol/tools: pour',
    );
    expect(mcpTools).toEqual(['pour']);
    expect(diagnostics).toMatchObject([{ id: 'key-reserved', fix: 'Call it skillgate.tools.' }]);
  });

  it('lists all unknown keys in one diagnostic', () => {
    expect(skillWith('name: tea\nversion: 1\nauthor: Ada').diagnostics).toMatchObject([
      { id: 'key-unknown', message: 'Not part of the specification: version, author.' },
    ]);
  });
});

describe('audience and dependencies', () => {
  it.each([
    ['name: tea', 'all'],
    ['disable-model-invocation: true', 'people'],
    ['user-invocable: false', 'models'],
    ['user-invocable: "no"\ndisable-model-invocation: yes', 'none'],
    ['user-invocable: true\ndisable-model-invocation: false', 'all'],
    ['user-invocable: OFF', 'models'],
    ['disable-model-invocation: 1', 'people'],
  ])('%s is for %s', (keys, audience) => {
    expect(
      parseSkill(new TextEncoder().encode(`---\n${keys}\n---\n`), { path: 'SKILL.md', folder: 'tea' })
        .audience,
    ).toBe(audience);
  });

  it.each([
    ['dependencies:\n  tools: [pour_it, server/heat]', ['pour_it', 'server/heat']],
    ['metadata:\n  dependencies: {tools: pour_it}', ['pour_it']],
    // Programs; a reference says that it is a tool.
    ['dependencies:\n  tools: [git, gitleaks, {type: ref/tool, name: heat}]', ['heat']],
    ['dependencies:\n  - {type: ref/tool, name: heat}\n  - {type: ref/prompt, name: x}\n  - numpy', ['heat']],
    ['dependencies: [numpy, scipy]', []],
    [
      'metadata:\n  skillgate.tools: pour\n  io.modelcontextprotocol/tools: heat\n  dependencies: {tools: [pour, cool_it]}',
      ['pour', 'heat', 'cool_it'],
    ],
    ['dependencies:\n  python: ">=3.11"\n  packages: [pandas]', []],
  ])('%s names the tools %j', (keys, tools) => {
    expect(
      parseSkill(new TextEncoder().encode(`---\n${keys}\n---\n`), { path: 'SKILL.md', folder: 'tea' })
        .mcpTools,
    ).toEqual(tools);
  });
});

describe('kebab', () => {
  it.each([
    ['Über Café', 'uber-cafe'],
    ['  Brew & Pour!! ', 'brew-pour'],
    ['--tea--', 'tea'],
    ['ﬁne tea', 'fine-tea'],
    ['窑', ''],
    ['x'.repeat(70), 'x'.repeat(64)],
    // The 64th character is the hyphen.
    [`${'x'.repeat(63)} tea`, 'x'.repeat(63)],
  ])('writes %j as %j', (name, expected) => {
    expect(kebab(name)).toBe(expected);
  });
});
