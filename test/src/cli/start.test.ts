/** The packages that a server loads before its first call: each one costs every start. */

import { join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
/** As in the build: the defaults without the schema. */
const { withDefaults } = await import(join(root, 'build-defaults.js'));
const ENTRIES = ['bin/skillgate.ts', 'src/cli/commands/serve.ts', 'src/cli/commands/search.ts'];

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ENTRIES.map((entry) => join(root, entry)),
  outdir: 'unwritten',
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  plugins: [withDefaults],
});

/** Packages and files of ours that are reached from the entries without a dynamic import. */
function loadedAtOnce({ inputs }: Metafile, entries = ENTRIES): { packages: string[]; files: Set<string> } {
  const packages = new Set<string>();
  const files = new Set(entries);
  // Grows while it is walked.
  for (const file of files)
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import' || path.startsWith('node:')) continue;
      if (external) packages.add(path);
      else files.add(path);
    }
  return { packages: [...packages].sort(), files };
}

it('loads no protocol and no search before it knows the command', () => {
  const { packages, files } = loadedAtOnce(metafile, ['bin/skillgate.ts']);
  expect(packages).toEqual(['commander', 'picocolors']);
  expect([...files].filter((file) => /^src\/(mcp|search|catalog|sources)\//.test(file))).toEqual([]);
});

it('loads the protocol, the schemas and little else', () => {
  expect(loadedAtOnce(metafile).packages).toEqual([
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/ext/skills',
    '@modelcontextprotocol/server/stdio',
    'commander',
    'fastest-levenshtein',
    'lru-cache',
    'opencc-js/dict/TSCharacters',
    'picocolors',
    'picomatch',
    'stemmer',
    'zod',
  ]);
});

it('loads nothing of an extension but the list of them', () => {
  const { files } = loadedAtOnce(metafile);
  expect([...files].filter((file) => file.startsWith('extensions/'))).toEqual(['extensions/extensions.ts']);
});

it('loads no schema without a configuration', () => {
  const { files } = loadedAtOnce(metafile);
  expect(files).toContain('src/app/config/defaults.ts');
  expect(files).not.toContain('src/app/config/schema.ts');
});
