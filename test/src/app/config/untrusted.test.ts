import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configJsonSchema, type JsonSchema } from '../../../../src/app/config/json-schema.ts';
import { digestSettings, splitByTrust } from '../../../../src/app/config/untrusted.ts';

const inside = (path: string) => path.startsWith('./');

describe('splitByTrust', () => {
  it('keeps what is harmless and names what is not', () => {
    const local = { kind: 'local', root: './skills' };
    const outside = { kind: 'local', root: '/etc' };
    const program = { kind: 'mcp', command: 'sh' };
    const value = {
      sources: [outside, local, program],
      validate: { rules: { long: 'off' } },
      index: { folder: '/x' },
      learn: false,
    };
    expect(splitByTrust(value, inside)).toEqual({
      harmless: { sources: [local], validate: { rules: { long: 'off' } } },
      kept: [1],
      sensitive: { sources: [outside, program], index: { folder: '/x' }, learn: false },
      parts: ['sources[0]', 'sources[2]', 'index', 'learn'],
    });
  });

  it.each<unknown>([
    { kind: 'local', root: './skills', links: 'follow' },
    { kind: 'local', root: './skills', exec: './x' },
    { kind: 'local', root: 7 },
    { kind: 'git', name: 'x' },
    { name: 'x' },
    { root: './skills' },
    {},
    { kind: 'local', root: './skills', constructor: 1 },
    'local',
    null,
  ])('takes a source as a whole or not at all: %j', (source) => {
    expect(splitByTrust({ sources: [source] }, inside)).toMatchObject({
      harmless: {},
      kept: [],
      sensitive: { sources: [source] },
    });
  });

  it.each(['new', 'constructor', '__proto__', 'Sources', 'scripts'])('demands trust for %s', (name) => {
    const value = JSON.parse(`{"${name}": {"x": 1}}`);
    const { harmless, parts } = splitByTrust(value, inside);
    expect({ harmless, parts }).toEqual({ harmless: {}, parts: [name] });
  });

  it('needs no trust for an empty file', () => {
    for (const value of [{}, null, { sources: [], scripts: {} }])
      expect(splitByTrust(value, inside).sensitive).toEqual({});
  });
});

describe('digestOf', () => {
  it('is that of the settings, in whatever order they are written', () => {
    const digest = digestSettings({ scripts: { enabled: true, env: ['A', 'B'] }, learn: true });
    expect(digestSettings({ learn: true, scripts: { env: ['A', 'B'], enabled: true } })).toBe(digest);
    expect(digestSettings({ learn: true, scripts: { env: ['B', 'A'], enabled: true } })).not.toBe(digest);
    expect(digestSettings({ learn: true, scripts: { env: ['A', 'B'], enabled: 'true' } })).not.toBe(digest);
  });
});

/** The paths of all settings, in the order of the schema. */
const settingPaths = (): string[] => [...new Set(below(configJsonSchema(), ''))];

function below(schema: JsonSchema, path: string): string[] {
  const join = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (schema.oneOf !== undefined)
    return schema.oneOf.flatMap((kind) => below(kind, join(String(kind.properties?.kind?.const))));
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, part]) => below(part, join(name)));
  if (schema.items !== undefined && (schema.items.properties ?? schema.items.oneOf) !== undefined)
    return below(schema.items, path);
  const mappings = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined);
  const hasValue = schema.anyOf === undefined || mappings.length < schema.anyOf.length;
  return [...(hasValue ? [path] : []), ...mappings.flatMap((part) => below(part, path))];
}

describe('the settings of the schema', () => {
  it('let a project choose only among what is in it', () => {
    const unasked = settingPaths().filter((path) => {
      const [section = '', kind = '', name = ''] = path.split('.');
      const value =
        section === 'sources' ? [{ kind, root: './x', [name]: name === 'kind' ? kind : './x' }] : 'x';
      return splitByTrust({ [section]: value }, inside).parts.length === 0;
    });
    expect(unasked).toEqual([
      '$schema',
      'sources.local.kind',
      'sources.local.name',
      'sources.local.root',
      'pinned',
      'validate.rules',
    ]);
  });

  it('are at most 101, and each has a reason in docs/configuration.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/configuration.md'), 'utf8');
    const reasons = page.slice(page.indexOf('## Choose settings')).replaceAll('`', ' ');
    const paths = settingPaths();
    expect(paths.length).toBeLessThanOrEqual(101);
    const names = new Set(paths.flatMap((path) => path.split('.').slice(-1)));
    const words = new Set(reasons.split(/[ ,;:|.]+/));
    expect([...names].filter((name) => !words.has(name))).toEqual([]);
  });
});
