import { describe, expect, it } from 'vitest';
import { parseSkill } from '../../../src/skills/parse.ts';
import type { Skill } from '../../../src/skills/skill.ts';

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
    ['disable-model-invocation: true', true],
  ])('reads %j as enabled: %s', (keys, enabled) => {
    expect(skillWith(keys).enabled).toBe(enabled);
  });

  it('reads a title from every key that authors use', () => {
    expect(skillWith('displayName: Tea Time').title).toBe('Tea Time');
    expect(skillWith('metadata:\n  title: Tea Time').title).toBe('Tea Time');
    expect(skillWith('name: tea')).not.toHaveProperty('title');
  });

  it('reads descriptions that are lists or translations as their texts', () => {
    const parse = (keys: string) =>
      parseSkill(new TextEncoder().encode(`---\n${keys}\n---\n`), { path: 'SKILL.md', folder: 'tea' });
    expect(parse('description: [Brews, pours]').description).toBe('Brews, pours');
    expect(parse('description:\n  en: Brews\n  de: Brüht').description).toBe('Brews\nBrüht');
  });
});

describe('judgeFields', () => {
  const idsOf = (keys: string) => skillWith(keys).diagnostics.map(({ id }) => id);

  it('accepts a name of 64 characters and not of 65', () => {
    expect(idsOf(`name: ${'x'.repeat(64)}`)).toEqual(['name-folder']);
    expect(idsOf(`name: ${'x'.repeat(65)}`)).toEqual(['name-too-long', 'name-folder']);
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

  it('reports the line of the key', () => {
    const { diagnostics } = skillWith('name: tea\nmetadata:\n  version: 2');
    // Fence, description, name, metadata.
    expect(diagnostics).toMatchObject([{ id: 'metadata-type', position: { line: 4, column: 1 } }]);
  });

  it.each([
    'metadata:\n  io.modelcontextprotocol/tools: pdf_read team/pdf.write-2',
    'allowed-tools: Read Bash(git add:*) mcp__pdf__read mcp__pdf__* * WebFetch(domain:example.org)',
  ])('accepts the tools of `%s`', (keys) => {
    expect(idsOf(`name: tea\n${keys}`)).toEqual([]);
  });

  it('reports invalid tool names, at their key [tools/association]', () => {
    const { diagnostics } = skillWith(
      `name: tea\nmetadata:\n  io.modelcontextprotocol/tools: pour brew! ${'x'.repeat(129)}`,
    );
    // Fence, description, name, metadata.
    expect(diagnostics).toMatchObject([{ id: 'tool-unknown', severity: 'warning', position: { line: 4 } }]);
    expect(diagnostics[0]?.message).toBe(`Invalid tool names: "brew!", "${'x'.repeat(129)}".`);
    expect(idsOf('name: tea\nallowed-tools: Read "Bash(git'.replaceAll('"', ''))).toEqual(['tool-unknown']);
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
  ])('%s is for %s', (keys, audience) => {
    expect(
      parseSkill(new TextEncoder().encode(`---\n${keys}\n---\n`), { path: 'SKILL.md', folder: 'tea' })
        .audience,
    ).toBe(audience);
  });

  it.each([
    ['dependencies:\n  tools: [pour, server/heat]', ['pour', 'server/heat']],
    ['metadata:\n  dependencies: {tools: pour}', ['pour']],
    ['dependencies: [numpy, scipy]', []],
    ['dependencies:\n  python: ">=3.11"\n  packages: [pandas]', []],
  ])('%s names the tools %j', (keys, tools) => {
    expect(
      parseSkill(new TextEncoder().encode(`---\n${keys}\n---\n`), { path: 'SKILL.md', folder: 'tea' })
        .mcpTools,
    ).toEqual(tools);
  });
});
