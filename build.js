/**
 * Builds `dist/`: the command line, the library and worker threads with their lazily loaded chunks, and types. Bundles
 * dependencies, since a bundle starts faster than a tree of packages. Optional packages stay external.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
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

/** Puts the style into the HTML, so that the first paint needs one response, and preloads the code. */
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

const SETTINGS = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  // Less source to parse at start. Names stay, so that stack traces remain readable.
  minifyWhitespace: true,
  plugins: [withoutAjv, withoutGlob, withDefaults, withLatinLanguages],
  alias: ALIASES,
  legalComments: 'linked',
  external: ['@huggingface/transformers', 'hnswlib-node', 'pg-native'],
};

/** Smaller files on demand are read with the program. */
const SEPARATE_BYTES = 10_000;

/** Files of `dist/` with the large packages that are loaded on demand, by what they hold: words, tables. */
const separateFiles = ({ outputs }) =>
  new Map(
    Object.entries(outputs)
      .filter(
        ([, { entryPoint, bytes }]) => entryPoint?.startsWith('node_modules/') && bytes > SEPARATE_BYTES,
      )
      .map(([file, { entryPoint }]) => [resolve(entryPoint), `./${basename(file)}`]),
  );

/** Large packages of rarely used features, and their shared files: a start without compiled code does not read them. */
const RARE = {
  '@decimalturn/toml-patch': 'toml-patch',
  '@modelcontextprotocol/client': 'mcp-client',
  '@modelcontextprotocol/client/ext/skills': 'mcp-client',
  '@modelcontextprotocol/client/stdio': 'mcp-client',
  '@opentelemetry/api': 'opentelemetry',
  '@opentelemetry/exporter-trace-otlp-http': 'opentelemetry',
  '@opentelemetry/resources': 'opentelemetry',
  '@opentelemetry/sdk-trace': 'opentelemetry',
  jose: 'jose',
  pino: 'pino',
  'prom-client': 'prom-client',
  'rate-limiter-flexible': 'rate-limiter-flexible',
  tar: 'tar',
  undici: 'undici',
};
/** What is imported of CommonJS packages, whose exports are unknown to the build. */
const NAMES = {
  pino: 'pino',
  'prom-client': 'Counter, collectDefaultMetrics, Gauge, Histogram, Registry',
  'rate-limiter-flexible': 'RateLimiterMemory',
  undici: 'Agent, buildConnector, fetch',
};

/** Writes the files of `RARE`, without readable names. */
async function buildRare() {
  const builds = [...new Set(Object.values(RARE))].map((name) =>
    build({
      ...SETTINGS,
      stdin: {
        contents: Object.keys(RARE)
          .filter((path) => RARE[path] === name)
          .map((path) => `export ${NAMES[path] ? `{ ${NAMES[path]} }` : '*'} from '${path}';`)
          .join('\n'),
        resolveDir: '.',
      },
      outfile: `dist/${name}.cjs`,
      format: 'cjs',
      minifyIdentifiers: true,
    }),
  );
  await Promise.all(builds);
}

const withRare = {
  name: 'with-rare',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ path }) =>
      Object.hasOwn(RARE, path) ? { path: `./${RARE[path]}.cjs`, external: true } : undefined,
    );
  },
};

/** The library lists the extensions, and runs no commands of theirs: those are in the program alone. */
const withoutCommands = {
  name: 'without-commands',
  setup(build) {
    build.onLoad({ filter: /[\\/]extensions[\\/][\w-]+[\\/]commands[\\/][\w-]+\.ts$/ }, () => ({
      contents: '',
    }));
  },
};

/** Keeps these files out of the program, which every start reads. */
const withSeparate = (files) => ({
  name: 'with-separate',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, async ({ path, kind, pluginData, ...from }) => {
      if (kind !== 'dynamic-import' || pluginData === withSeparate) return;
      const resolved = await build.resolve(path, { ...from, kind, pluginData: withSeparate });
      const file = files.get(resolved.path);
      return file === undefined ? resolved : { path: file, external: true };
    });
  },
});

/**
 * The program as one script: V8 keeps its compiled code (`src/cli/compiled.ts`), and one file is read in place of a hundred. Its
 * modules still run when they are imported first.
 */
async function buildProgram(metafile) {
  await build({
    ...SETTINGS,
    entryPoints: { program: 'bin/skillgate.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    plugins: [withSeparate(separateFiles(metafile)), withRare, ...SETTINGS.plugins],
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: '(function(require,moduleUrl,importModule){const module={exports:{}};' },
    footer: { js: 'return module.exports})' },
  });
  // esbuild leaves regular expressions as they are. Text of one byte a character takes half the memory, and no decoding.
  // A script imports by the module that starts it. Separate files of JSON have become modules.
  const program = readFileSync('dist/program.cjs', 'utf8')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/\bimport\("([^"]+)"(?:,\{with:\{type:"json"\}\})?\)/g, 'importModule("$1")');
  writeFileSync('dist/program.cjs', program);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const digest = createHash('sha256').update(program).digest('hex').slice(0, 8);
  await build({
    ...SETTINGS,
    entryPoints: { skillgate: 'bin/start.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    define: { BUILD: JSON.stringify(`${version}-${digest}`) },
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync('dist/skillgate.cjs', 0o755);
}

/** Writes `dist/`. */
async function buildAll() {
  rmSync('dist', { recursive: true, force: true });
  await buildRare();
  const { metafile } = await build({
    ...SETTINGS,
    plugins: [withoutCommands, withRare, ...SETTINGS.plugins],
    entryPoints: {
      worker: 'src/catalog/indexing/worker.ts',
      background: 'src/catalog/indexing/background-worker.ts',
      'explore-worker': 'extensions/explore/worker.ts',
      public: 'bin/public.ts',
    },
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    metafile: true,
    // Bundled CommonJS packages call require() for built-in modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  await buildProgram(metafile);

  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], {
    stdio: 'inherit',
  });
  writeFileSync('dist/public.d.ts', bundledTypes('dist/types/bin/public.d.ts'));
  rmSync('dist/types', { recursive: true });
  await buildPage();
}

await buildAll();
