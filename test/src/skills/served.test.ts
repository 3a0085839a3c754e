/** Skill files as the protocol serves them: as they are where its rules allow it, else with completed front matter. */

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseSkill } from '../../../src/skills/parse.ts';
import { servedName, servedSkillFile } from '../../../src/skills/served.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function serve(text: string | Uint8Array, folder = 'kiln') {
  const bytes = typeof text === 'string' ? utf8(text) : text;
  const skill = parseSkill(bytes, { path: 'SKILL.md', folder });
  const name = servedName(skill, folder);
  return { name, skill, bytes, served: servedSkillFile(skill, bytes, name) };
}

/** What a host reads from a file: YAML between two fences, the first of them in the first line. */
function readByHost(bytes: Uint8Array) {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const [, yaml = '', body = ''] = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  return { frontmatter: parse(yaml, { logLevel: 'silent' }), body };
}

describe('a skill file that keeps the rules of the protocol', () => {
  it.each([
    ['nested metadata', 'metadata:\n  a:\n    - {b: 1}\n    - ~'],
    ['unknown keys', 'hooks: {before: [lint, "x: y"]}'],
    ['a list for allowed-tools', 'allowed-tools:\n  - Read\n  - Bash(git:*)'],
    ['anchors', 'one: &a [1]\ntwo: *a'],
    ['a value over several lines', 'note: "one\n  two"'],
    ['a number as text', 'version: 1.10'],
  ])('is served byte for byte, with %s', (_, more) => {
    const { served, bytes } = serve(`---\nname: kiln\ndescription: Fires.\n${more}\n---\nBody\n`);
    expect(served?.adapted).toEqual([]);
    expect(served?.bytes).toBe(bytes);
    expect(readByHost(bytes).frontmatter).toEqual(served?.frontmatter);
  });

  it('may have another name than its folder, CRLF, no last newline and a long description', () => {
    const text = `---\r\nname: other-kiln\r\ndescription: ${'long '.repeat(400)}end\r\n---\r\nBody`;
    const { name, served, bytes } = serve(text);
    expect(name).toBe('other-kiln');
    expect(served?.adapted).toEqual([]);
    expect(served?.bytes).toBe(bytes);
  });
});

describe('any other skill file', () => {
  it.each([
    ['name: Kiln Firing\ndescription: Fires.', 'kiln-firing', ['name-format']],
    ['name: Über die Öfen\ndescription: Fires.', 'uber-die-ofen', ['name-format']],
    [`name: ${'long-'.repeat(20)}name\ndescription: Fires.`, `${'long-'.repeat(12)}long`, ['name-too-long']],
    ['name: 窑\ndescription: Fires.', 'kiln', ['name-format']],
    ['name: 12\ndescription: Fires.', '12', ['name-type']],
    ['description: Fires.', 'kiln', ['name-missing']],
    ['name: kiln\ndescription: [Fires, slowly]', 'kiln', ['description-type']],
    ['name: kiln\ndescription: When: it fires', 'kiln', ['yaml-colon']],
    ['name: kiln\nname: oven\ndescription: Fires.', 'kiln', ['yaml-duplicate-key']],
    ['name: kiln\ndescription: Fires.\nheat: .inf', 'kiln', ['yaml-invalid']],
    ['name: kiln', 'kiln', ['description-missing']],
  ])('has its front matter completed and its body untouched: %s', (front, name, adapted) => {
    const body = '\r\n# Kilns\r\n\r\nFire it. \t\n\n---\nEnd';
    const { served } = serve(`---\n${front}\n---\n${body}`);
    expect(served).toMatchObject({ frontmatter: { name, description: expect.any(String) }, adapted });
    expect(readByHost(served!.bytes)).toEqual({ frontmatter: served?.frontmatter, body });
  });

  it('keeps what else its author wrote', () => {
    const { served } = serve('---\nname: A B\ndescription: "x\u2028y"\n"on": {a: [1, "z: #"]}\n---\n');
    expect(readByHost(served!.bytes).frontmatter).toEqual({
      name: 'a-b',
      description: 'x\u2028y',
      on: { a: [1, 'z: #'] },
    });
  });

  it('has no characters that some readers break lines at, and no key that some take for a value', () => {
    const odd = ['\u007f', '\u0085', '\u009f', '\u2028', '\u2029', '\ufeff'];
    const keys = 'y: 1\nNo: 2\n1: 3\na b: 4\non-1: 5\n"-a": 6\nyes: 7\nyear: 8';
    const { served } = serve(`---\nname: A\ndescription: "x${odd.join('')} é"\n${keys}\n---\n`);
    const text = new TextDecoder().decode(served?.bytes);
    expect(text).toContain('description: "x\\u007f\\u0085\\u009f\\u2028\\u2029\\ufeff é"\n');
    for (const line of [
      '"y": 1',
      '"No": 2',
      '"1": 3',
      '"a b": 4',
      'on-1: 5',
      '"-a": 6',
      '"yes": 7',
      'year: 8',
    ])
      expect(text).toContain(`\n${line}\n`);
    expect(text.startsWith('---\n')).toBe(true);
    expect(readByHost(served!.bytes).frontmatter).toEqual(served?.frontmatter);
  });

  it('loses a key that changes objects', () => {
    const { served } = serve('---\nname: kiln\ndescription: Fires.\n__proto__: {a: 1}\nb: 2\n---\n');
    expect(served?.frontmatter).toEqual({ name: 'kiln', description: 'Fires.', b: 2 });
    expect(new TextDecoder().decode(served?.bytes)).not.toContain('proto');
  });

  it('lists each reason once, and none that every host can live with', () => {
    const { served } = serve('---\nname: A B\ndescription: a: b\nlicense: c: d\n---\n');
    expect(served?.adapted).toEqual(['yaml-colon', 'name-format']);
    const long = `---\nname: A\ndescription: ${'x'.repeat(1_025)}\nx: &a [1]\ny: *a\n---\n`;
    expect(serve(long).served?.adapted).toEqual(['name-format']);
  });

  it('takes the first paragraph where the author’s description is blank', () => {
    const { served } = serve('---\nname: kiln\ndescription: " "\n---\nFires.\n');
    expect(served).toMatchObject({
      frontmatter: { description: 'Fires.' },
      adapted: ['description-missing'],
    });
  });

  it('with a name for another skill gets the name it is served under', () => {
    const { skill, bytes } = serve('---\nname: kiln\ndescription: Fires.\n---\n');
    expect(servedSkillFile(skill, bytes, 'oven')?.frontmatter.name).toBe('oven');
  });

  it('is UTF-8 without a byte-order mark, whatever it was', () => {
    const text = '---\nname: kiln\ndescription: Fires.\n---\nBody\n';
    const utf16 = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
    for (const [bytes, id] of [
      [utf16, 'encoding-utf16'],
      [utf8(`\ufeff${text}`), 'encoding-bom'],
    ] as const) {
      const { served } = serve(bytes);
      expect(served?.adapted).toEqual([id]);
      expect(readByHost(served!.bytes).body).toBe('Body\n');
    }
  });

  it('without any words about itself is not served', () => {
    expect(serve('---\nname: kiln\n---\n').served).toBeNull();
  });
});

describe('servedName', () => {
  it.each([
    ['Kiln Fire', 'oven', 'kiln-fire'],
    ['窑', 'Öfen', 'ofen'],
    // The digest of the folder's name.
    ['窑', '炉', 'skill-4ad801e1'],
  ])('of %s in %s is %s', (name, folder, expected) => {
    expect(servedName({ name, frontmatter: {} }, folder)).toBe(expected);
  });

  it('is the author’s where it keeps the rules', () => {
    expect(servedName({ name: 'x', frontmatter: { name: 'kiln-2' } }, 'oven')).toBe('kiln-2');
  });
});
