/**
 * Builds `dist/`: the command line with its lazily loaded chunks, the worker threads, the library, and types. Bundles
 * dependencies, since a bundle starts faster than a tree of packages. Optional packages stay external.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/**
 * Replaces Ajv, which the SDK loads at start, by the SDK's own validator for platforms without code generation: loading
 * Ajv instead adds 9 % to the CPU time of a cold start. It validates only a person's answers to questions about scripts.
 */
const withoutAjv = {
  name: 'without-ajv',
  setup(build) {
    build.onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      contents: `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from './validators/cfWorker.mjs';
export { default as process } from 'node:process';`,
    }));
  },
};

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: {
    skillgate: 'src/cli/main.ts',
    worker: 'src/indexing/worker.ts',
    background: 'src/indexing/background-worker.ts',
    public: 'src/public.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  // Less source to parse at start. Names stay, so that stack traces remain readable.
  minifyWhitespace: true,
  plugins: [withoutAjv],
  legalComments: 'linked',
  // @opentelemetry/api is bundled, since prom-client depends on it.
  external: [
    '@huggingface/transformers',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'hnswlib-node',
  ],
  // Bundled CommonJS packages call require() for built-in modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
chmodSync('dist/skillgate.js', 0o755);

// The shipped model in the form that loads fastest, prepared by the program's own code.
const bundled = await build({
  stdin: {
    contents: `export { prepared } from './src/embed/prepared.ts'; export { readModel } from './src/embed/static.ts';`,
    resolveDir: '.',
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const code = Buffer.from(bundled.outputFiles[0].contents).toString('base64');
const { prepared, readModel } = await import(`data:text/javascript;base64,${code}`);
writeFileSync('dist/static-model.bin', prepared(await readModel('models/static')));
execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
// Inside dist/types, `#index` resolves to the declarations of the index.
writeFileSync(
  'dist/types/package.json',
  JSON.stringify({ type: 'module', imports: { '#index': './index/public.d.ts' } }),
);
