import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../src/skills/yaml.ts';

const read = (text: string) => readYaml(text, 2, 'SKILL.md');

describe('readYaml', () => {
  it('reads YAML 1.2: no dates, no yes and no, no octal', () => {
    expect(read('a: 2024-01-31\nb: yes\nc: 010\nd: off\ne: 1_000').keys).toEqual({
      a: '2024-01-31',
      b: 'yes',
      c: 10,
      d: 'off',
      e: '1_000',
    });
  });

  it('keeps the written text next to the parsed value', () => {
    const { keys, written } = read('name: 007\ndescription: |\n  two\n  lines\nx: [a]');
    expect(keys).toMatchObject({ name: 7 });
    expect(written.get('name')).toBe('007');
    expect(written.get('description')).toBe('two\nlines\n');
    expect(written.has('x')).toBe(false);
  });

  it('reads __proto__ as an ordinary key', () => {
    const { keys } = read('__proto__:\n  polluted: true\nname: tea');
    expect(Object.keys(keys ?? {})).toEqual(['__proto__', 'name']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('does not change gray-matter’s cache and engines', () => {
    const engines = { ...Reflect.get(matter, 'engines') };
    read('name: tea');
    expect(Reflect.get(matter, 'cache')).toEqual({});
    expect(Reflect.get(matter, 'engines')).toEqual(engines);
  });

  it('reports lines of the file, also in repaired text', () => {
    const text = 'name: tea\nmetadata:\n  a: b: c\ndescription: d: e';
    expect(read(text).diagnostics).toMatchObject([
      // The text begins on line 2 of the file.
      { id: 'yaml-colon', position: { line: 4, column: 6 } },
      { id: 'yaml-colon', position: { line: 5, column: 14 } },
    ]);
    expect(read(text).keys).toEqual({ name: 'tea', metadata: { a: 'b: c' }, description: 'd: e' });
  });

  it('returns null if nothing can be read', () => {
    expect(read('just text').keys).toBeNull();
    expect(read('{{ [').keys).toBeNull();
  });

  it('follows a few aliases', () => {
    const { keys, strict } = read('a: &x [1, 2]\nb: *x');
    expect(keys).toEqual({ a: [1, 2], b: [1, 2] });
    expect(strict).toBe(false);
  });
});
