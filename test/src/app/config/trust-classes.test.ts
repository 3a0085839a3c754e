import { expect, it } from 'vitest';
import { settingPaths, TRUST_CLASSES, trustClassOf } from '../../../../src/app/config/trust-classes.ts';

it('classes each setting of the schema, and no other', () => {
  const paths = settingPaths();
  expect(paths.length).toBeGreaterThan(80);
  expect(paths.filter((path) => !Object.hasOwn(TRUST_CLASSES, path))).toEqual([]);
  expect(Object.keys(TRUST_CLASSES).filter((path) => !paths.includes(path))).toEqual([]);
});

it('lets a project choose only among what is in it', () => {
  const unasked = settingPaths().filter((path) => trustClassOf(path) !== 'trust');
  expect(unasked).toEqual([
    '$schema',
    'sources.local.kind',
    'sources.local.name',
    'sources.local.root',
    'index.vectors',
    'pinned',
    'validate.rules',
  ]);
});

it('demands trust for a setting that has no class', () => {
  for (const path of ['sources.local.exec', 'new', 'constructor', '__proto__', 'sources.undefined.kind'])
    expect(trustClassOf(path)).toBe('trust');
});
