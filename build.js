/**
 * Builds `dist/`: the command line with its lazily loaded parts, the indexing thread, the library door, and types.
 * Dependencies are bundled, since one file starts twice as fast as a tree of packages; the optional native ones
 * stay outside and are found where they are installed.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/** Zod's messages in all languages but English: a seventh of what a cold start would have to read, never asked for. */
const englishOnly = {
  name: 'english-only',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * The server's validator of JSON Schemas without code generation, which the SDK uses wherever code may not be generated:
 * Ajv, in three dialects with all their formats, is a sixth of what a cold start would read and 15 ms of setting up. All
 * that is ever validated by it is what a person answered about a script.
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
    upkeep: 'src/indexing/upkeep-worker.ts',
    public: 'src/public.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  // Half the source to scan in a cold start. Names stay, so that a stack trace can still be read.
  minifyWhitespace: true,
  plugins: [englishOnly, withoutAjv],
  legalComments: 'linked',
  // A package of prom-client's asks for the api, so that is bundled.
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

// The shipped model as a start wants it, by the program's own code.
const preparing = await build({
  stdin: {
    contents: `export { prepared } from './src/embed/prepared.ts'; export { readModel } from './src/embed/static.ts';`,
    resolveDir: '.',
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const code = Buffer.from(preparing.outputFiles[0].contents).toString('base64');
const { prepared, readModel } = await import(`data:text/javascript;base64,${code}`);
writeFileSync('dist/static-model.bin', prepared(await readModel('models/static')));
execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
// Inside dist/types, `#index` is the declaration of the index's door.
writeFileSync(
  'dist/types/package.json',
  JSON.stringify({ type: 'module', imports: { '#index': './index/public.d.ts' } }),
);
