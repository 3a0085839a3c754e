/** Runs TypeScript of the tests as a process of its own. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { temporaryFolder } from '../temporary-folder.ts';

const bundles = new Map<string, string>();

/** How to start a server's program from its TypeScript. */
export const programOf = (path: string, ...args: string[]) => ({
  command: process.execPath,
  args: [bundleOf(path), ...args],
  cwd: join(import.meta.dirname, '../..'),
});

/** Bundled for all starts: with tsx each start loads hundreds of files and takes three times as long. */
function bundleOf(path: string): string {
  const known = bundles.get(path);
  if (known !== undefined) return known;
  const folder = temporaryFolder();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  buildSync({
    entryPoints: { program: path },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js },
    logLevel: 'error',
  });
  const program = join(folder, 'program.mjs');
  bundles.set(path, program);
  return program;
}
