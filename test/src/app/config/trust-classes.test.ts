import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configJsonSchema, type JsonSchema } from '../../../../src/app/config/json-schema.ts';
import { TRUST_CLASSES, trustClassOf } from '../../../../src/app/config/trust-classes.ts';

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

it('classes each setting of the schema, and no other', () => {
  const paths = settingPaths();
  expect(paths.length).toBeGreaterThan(80);
  expect(paths.filter((path) => !Object.hasOwn(TRUST_CLASSES, path))).toEqual([]);
  expect(Object.keys(TRUST_CLASSES).filter((path) => !paths.includes(path))).toEqual([]);
});

it('are at most 100, and each has a reason in docs/configuration.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/configuration.md'), 'utf8');
  const reasons = page.slice(page.indexOf('## All settings')).replaceAll('`', ' ');
  const paths = settingPaths();
  expect(paths.length).toBeLessThanOrEqual(100);
  const names = new Set(paths.flatMap((path) => path.split('.').slice(-1)));
  const words = new Set(reasons.split(/[ ,;:|.]+/));
  expect([...names].filter((name) => !words.has(name))).toEqual([]);
});

it('lets a project choose only among what is in it', () => {
  const unasked = settingPaths().filter((path) => trustClassOf(path) !== 'trust');
  expect(unasked).toEqual([
    '$schema',
    'sources.local.kind',
    'sources.local.name',
    'sources.local.root',
    'pinned',
    'validate.rules',
  ]);
});

it('demands trust for a setting that has no class', () => {
  for (const path of ['sources.local.exec', 'new', 'constructor', '__proto__', 'sources.undefined.kind'])
    expect(trustClassOf(path)).toBe('trust');
});
