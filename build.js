/**
 * Builds `dist/`: the command line with its lazily loaded parts, the indexing thread, the library door, and types.
 * Dependencies are bundled, since one file starts twice as fast as a tree of packages; the optional native ones
 * stay outside and are found where they are installed.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { skillgate: 'src/cli/main.ts', worker: 'src/indexing/worker.ts', public: 'src/public.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  legalComments: 'linked',
  external: ['@huggingface/transformers', '@opentelemetry/*', 'hnswlib-node'],
  // Bundled CommonJS packages call require() for built-in modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
chmodSync('dist/skillgate.js', 0o755);

execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
// Inside dist/types, `#index` is the declaration of the index's door.
writeFileSync(
  'dist/types/package.json',
  JSON.stringify({ type: 'module', imports: { '#index': './index/public.d.ts' } }),
);
