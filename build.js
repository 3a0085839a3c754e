/**
 * Builds `dist/`: the command line with its lazily loaded chunks, the worker threads, the library, and types. Bundles
 * dependencies, since a bundle starts faster than a tree of packages. Optional packages stay external.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { ALIASES, withDefaults, withLatinLanguages } from './build-defaults.js';
import { bundledTypes } from './build-types.js';

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

/** Postgrator finds its files by this package; ours are part of the program (`extensions/postgres/database/migrations.ts`). */
const withoutGlob = {
  name: 'without-glob',
  setup(build) {
    build.onResolve({ filter: /^glob$/ }, () => ({ path: 'glob', namespace: 'absent' }));
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'export const glob = async () => [];',
    }));
  },
};

/** The first paint waits for one answer: the style is part of it, and the code is loaded while that is painted, which imports it afterwards. */
const withStyleAndPreload = {
  name: 'with-style-and-preload',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const files = Object.values(bundle);
      const style = files.find(({ fileName }) => fileName.endsWith('.css'));
      delete bundle[style.fileName];
      const app = files.find(({ name }) => name === 'app');
      return {
        html: html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style.source}</style>`),
        tags: [app.fileName, ...app.imports]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
            injectTo: 'head',
          })),
      };
    },
  },
};

/** The page of `skillgate explore`: only files that its content security policy lets run. */
async function buildPage() {
  const [{ build: buildWithVite }, { preact }] = await Promise.all([
    import('vite'),
    import('@preact/preset-vite'),
  ]);
  await buildWithVite({
    configFile: false,
    root: 'page',
    base: './',
    logLevel: 'warn',
    plugins: [preact(), withStyleAndPreload],
    build: {
      outDir: resolve('dist/explore'),
      emptyOutDir: true,
      target: 'es2022',
      // Those that know light-dark(), which older ones would get by the root's scheme alone.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // Inlined files would be data: URLs, and the polyfill an inline script.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
}

/** Writes `dist/`. */
async function buildAll() {
  rmSync('dist', { recursive: true, force: true });
  await build({
    entryPoints: {
      skillgate: 'bin/skillgate.ts',
      worker: 'src/catalog/indexing/worker.ts',
      background: 'src/catalog/indexing/background-worker.ts',
      'explore-worker': 'extensions/explore/worker.ts',
      public: 'bin/public.ts',
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
    plugins: [withoutAjv, withoutGlob, withDefaults, withLatinLanguages],
    alias: ALIASES,
    legalComments: 'linked',
    external: ['@huggingface/transformers', 'hnswlib-node', 'pg-native'],
    // Bundled CommonJS packages call require() for built-in modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  chmodSync('dist/skillgate.js', 0o755);

  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], {
    stdio: 'inherit',
  });
  writeFileSync('dist/public.d.ts', bundledTypes('dist/types/bin/public.d.ts'));
  rmSync('dist/types', { recursive: true });
  await buildPage();
}

await buildAll();
