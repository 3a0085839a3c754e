/** `npm run release:check` finds each thing that would make a bad release. A small package stands for ours. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

const checks: {
  problemsOf(root: string, options?: { mostBytes: number }): Promise<{ problems: string[]; summary: string }>;
  metadataProblems(root: string): string[];
} = await import(pathToFileURL(resolve(import.meta.dirname, '../../release/checks.js')).href);

const VERSION = '1.2.3';
const MANIFEST = {
  name: 'small',
  version: VERSION,
  description: 'A small package.',
  license: 'MIT',
  type: 'module',
  mcpName: 'io.example/small',
  bin: { small: 'dist/skillgate.cjs' },
  exports: { '.': { types: './dist/public.d.ts', default: './dist/public.js' } },
  files: ['dist', 'models/static', 'CHANGELOG.md'],
  engines: { node: '>=20' },
};
const SERVER = { name: 'io.example/small', version: VERSION, packages: [{ version: VERSION }] };

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});

const write = (path: string, content: string | object) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
};

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  write('package.json', MANIFEST);
  write('package-lock.json', { name: 'small', version: VERSION, packages: {} });
  write('server.json', SERVER);
  write('release/manifest.json', { version: VERSION });
  write('plugin/.claude-plugin/plugin.json', { version: VERSION });
  write('plugin/plugin.json', { version: VERSION });
  write('CHANGELOG.md', `# Changelog\n\n## [${VERSION}]\n\n- First.\n`);
  write('README.md', '# small\n');
  write('LICENSE', 'MIT\n');
  write('dist/skillgate.cjs', '#!/usr/bin/env node\n');
  write('dist/public.js', 'export const answer = 42;\n');
  write('dist/public.d.ts', 'export declare const answer: number;\n');
  write('models/static/model.safetensors', '{}');
});

describe('what the files say', () => {
  const problems = () => checks.metadataProblems(folder);

  it('is in order in a good release', () => {
    expect(problems()).toEqual([]);
  });

  it.each([
    ['server.json', { ...SERVER, version: '1.2.2' }, 'server.json'],
    ['server.json', { ...SERVER, packages: [{ version: '1.2.2' }] }, 'server.json, packages'],
    ['release/manifest.json', { version: '1.2.2' }, 'release/manifest.json'],
    ['plugin/.claude-plugin/plugin.json', { version: '1.2.2' }, 'plugin/.claude-plugin/plugin.json'],
    ['plugin/plugin.json', { version: '1.2.2' }, 'plugin/plugin.json'],
    ['package-lock.json', { version: '1.2.2' }, 'package-lock.json'],
  ])('is not where %s names another version: %j', (path, content, named) => {
    write(path, content);
    expect(problems()).toEqual([`${named} has version 1.2.2, and package.json has 1.2.3. Make them equal.`]);
  });

  it.each([
    ['the registry knows another name', 'server.json', { ...SERVER, name: 'io.example/other' }, /mcpName/],
    [
      'the changelog lacks the version',
      'CHANGELOG.md',
      '## [Unreleased]\n\n## [1.2.30]\n',
      /no section \[1\.2\.3\]/,
    ],
    [
      'the lockfile names a registry',
      'package-lock.json',
      { version: VERSION, packages: { a: { resolved: 'https://registry.example/a.tgz' } } },
      /addresses of a registry/,
    ],
    [
      'it has dependencies',
      'package.json',
      { ...MANIFEST, dependencies: { zod: '^4.0.0' } },
      /has dependencies/,
    ],
  ] as const)('is not where %s', (_, path, content, problem) => {
    write(path, content);
    expect(problems()).toEqual([expect.stringMatching(problem)]);
  });
});

// Each packs with npm.
describe('what npm packs', () => {
  const problems = async (options?: { mostBytes: number }) =>
    (await checks.problemsOf(folder, options)).problems;

  it('is in order in a good release, and described', async () => {
    const { problems: found, summary } = await checks.problemsOf(folder);
    expect(found).toEqual([]);
    expect(summary).toMatch(/^small 1\.2\.3: 8 files, 0\.0 MB, 0\.0 MB packed\.$/);
  });

  it('is not where it is too large, lacks files or types, or holds files that nothing needs', async () => {
    write('package.json', { ...MANIFEST, files: ['dist', 'test'], exports: { '.': './dist/public.js' } });
    rmSync(join(folder, 'dist/public.d.ts'));
    write('test/planted.test.js', '');
    expect(await problems({ mostBytes: 100 })).toEqual([
      expect.stringMatching(/^The package has \d+ bytes, more than 100\.$/),
      'The package lacks models/static/model.safetensors. Is it in "files"?',
      'The package lacks CHANGELOG.md. Is it in "files"?',
      'The package holds files that nothing needs: test/planted.test.js.',
      'The package has no types.',
    ]);
  });

  it('is not where the types are those of another kind of module, or publint finds a missing file', async () => {
    write('package.json', {
      ...MANIFEST,
      exports: {
        '.': { types: './dist/public.d.cts', default: './dist/public.js' },
        './more': './dist/more.js',
      },
    });
    write('dist/public.d.cts', 'export declare const answer: number;\n');
    const found = await problems();
    expect(found).toContainEqual(expect.stringMatching(/^The types are wrong: /));
    expect(found).toContainEqual(expect.stringMatching(/^publint: .*\.\/dist\/more\.js/));
  });
});
