/**
 * Builds `dist/`: the command line with its lazily loaded chunks, the worker threads, the library, and types. Bundles
 * dependencies, since a bundle starts faster than a tree of packages. Optional packages stay external.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';
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

/** Postgrator finds its files by this package; ours are part of the program (`src/store/postgres/migrations.ts`). */
const withoutGlob = {
  name: 'without-glob',
  setup(build) {
    build.onResolve({ filter: /^glob$/ }, () => ({ path: 'glob', namespace: 'absent' }));
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'export const glob = async () => [];',
    }));
  },
};

/** The main file of jsonc-parser is UMD, whose inner imports no bundler sees. */
const ALIASES = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/**
 * Reads an import through a room's door (`public.ts`) as an import of the files behind it, so that a start loads only what it
 * uses: esbuild splits code by file, and a door reaches its whole room. Without this a start reads three times the code.
 */
export const throughDoors = {
  name: 'through-doors',
  setup(build) {
    const doors = new Map();
    /** What a door exports: its name → file and name there. Names that the door defines itself are absent. */
    const behind = (door) => {
      if (!doors.has(door)) {
        const { module } = parseSync(door, readFileSync(door, 'utf8'));
        const entries = module.staticExports.flatMap((statement) => statement.entries);
        doors.set(
          door,
          new Map(
            entries
              .filter(({ moduleRequest, isType }) => moduleRequest !== null && !isType)
              .map(({ moduleRequest, importName, exportName }) => [
                exportName.name,
                { file: resolve(dirname(door), moduleRequest.value), name: importName.name },
              ]),
          ),
        );
      }
      return doors.get(door);
    };
    const doorOf = (from, specifier) => {
      if (specifier === '#index') return resolve('index/public.ts');
      return /^\.\.?\/.*\bpublic\.ts$/.test(specifier) ? resolve(dirname(from), specifier) : null;
    };
    const statement = (keyword, clause, file) => `${keyword} { ${clause} } from ${JSON.stringify(file)};`;
    build.onLoad({ filter: /[\\/](src|index)[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const { module } = parseSync(path, source);
      const edits = [];
      for (const { start, end, moduleRequest, entries } of module.staticImports) {
        const door = doorOf(path, moduleRequest.value);
        if (door === null || entries.some(({ importName }) => importName.kind !== 'Name')) continue;
        const lines = entries
          .filter(({ isType }) => !isType)
          .map(({ importName, localName }) => {
            const { file, name } = behind(door).get(importName.name) ?? { file: door, name: importName.name };
            return statement('import', `${name} as ${localName.value}`, file);
          });
        edits.push({ start, end, text: lines.join(' ') });
      }
      for (const { start, end, entries } of module.staticExports) {
        const door =
          entries.length === 0 || !entries[0].moduleRequest
            ? null
            : doorOf(path, entries[0].moduleRequest.value);
        if (door === null) continue;
        const lines = entries
          .filter(({ isType }) => !isType)
          .map(({ importName, exportName }) => {
            const { file, name } = behind(door).get(importName.name) ?? { file: door, name: importName.name };
            return statement('export', `${name} as ${exportName.name}`, file);
          });
        edits.push({ start, end, text: lines.join(' ') });
      }
      for (const { start, end, moduleRequest } of module.dynamicImports) {
        const door = doorOf(path, source.slice(moduleRequest.start + 1, moduleRequest.end - 1));
        if (door === null) continue;
        const used =
          /^\)\.(\w+)/.exec(source.slice(end))?.[1] ??
          /\{ ([\w, ]+) \} = await $/.exec(source.slice(0, start))?.[1];
        const files = new Set((used ?? '').split(', ').map((name) => behind(door).get(name)?.file));
        const [file] = files;
        if (file === undefined || files.size !== 1)
          throw new Error(
            `${path}: a lazy import of ${door} must name exports of one file: const { name } = await import('…')`,
          );
        edits.push({ start: moduleRequest.start, end: moduleRequest.end, text: JSON.stringify(file) });
      }
      let contents = source;
      for (const { start, end, text } of edits.sort((a, b) => b.start - a.start))
        contents = contents.slice(0, start) + text + contents.slice(end);
      return { contents, loader: 'ts' };
    });
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
    plugins: [preact()],
    build: {
      outDir: resolve('dist/explore'),
      emptyOutDir: true,
      target: 'es2022',
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
      skillgate: 'src/cli/main.ts',
      worker: 'src/indexing/worker.ts',
      background: 'src/indexing/background-worker.ts',
      'explore-worker': 'src/explore/worker.ts',
      'file-worker': 'src/gateway/file-worker.ts',
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
    plugins: [throughDoors, withoutAjv, withoutGlob],
    alias: ALIASES,
    legalComments: 'linked',
    external: ['@huggingface/transformers', 'hnswlib-node', 'pg-native'],
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
  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], {
    stdio: 'inherit',
  });
  writeFileSync('dist/public.d.ts', bundledTypes('dist/types/src/public.d.ts'));
  rmSync('dist/types', { recursive: true });
  await buildPage();
}

if (process.argv[1] === import.meta.filename) await buildAll();
