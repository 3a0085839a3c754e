/** What a server loads before it is asked anything: each package costs every start, whoever uses it. */

import { join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const ENTRIES = ['src/cli/main.ts', 'src/cli/commands/serve.ts'];

/** Packages that are reached from the entries without a dynamic import. */
function loadedAtOnce({ inputs }: Metafile): string[] {
  const packages = new Set<string>();
  const seen = new Set(ENTRIES);
  // Grows while it is walked.
  for (const file of seen)
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import' || path.startsWith('node:')) continue;
      if (external) packages.add(path);
      else seen.add(path);
    }
  return [...packages].sort();
}

it('loads the protocol, the schemas and little else', async () => {
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
    alias: { '#index': './index/public.ts' },
  });
  expect(loadedAtOnce(metafile)).toEqual([
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/ext/skills',
    '@modelcontextprotocol/server/stdio',
    'commander',
    'fastest-levenshtein',
    'mime',
    'mime/types/other.js',
    'mime/types/standard.js',
    'picocolors',
    'picomatch',
    'stemmer',
    'zod',
  ]);
});
