/** The rules of ARCHITECTURE.md, checked on the syntax tree of every file. */

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Rooms from top to bottom. A room imports from the rows below its own. */
const ORDER = [
  ['cli'],
  ['app'],
  ['http', 'stdio'],
  // Below http, which serves it to its callers; above mcp, since it shows what an agent receives.
  ['explore'],
  ['telemetry'],
  ['mcp'],
  ['scripts'],
  ['gateway'],
  // Next to the library: authors ask it about files, not about an index.
  ['authoring', 'library', 'policy'],
  // Below the library, whose summary has the names of its themes from here.
  ['insights'],
  ['search', 'indexing', 'evaluation'],
  // What was asked before is a signal that search weighs; learning knows no ranking.
  ['embed', 'learning'],
  ['passages'],
  ['sources', 'store'],
  ['catalog', 'upstream'],
  ['skills', 'net'],
  ['sandbox'],
  ['files'],
  ['errors', 'json', 'redaction', 'timing'],
];

/** Doors next to a room's `public.ts`, and which folder may use them. */
const NAMED_DOORS: Readonly<Record<string, string>> = {
  'src/search/bench.ts': 'bench/',
  // Types of requests and answers: the page runs in browsers, and nothing of the server may reach it.
  'src/explore/api.ts': 'page/',
};

const heightOf = (room: string) => ORDER.findIndex((row) => row.includes(room));

interface Import {
  readonly from: string;
  /** A path from the root of the repository, or a package's name. */
  readonly to: string;
}

/** Every module that a source file names: static, type-only, re-exported or dynamic. */
function specifiers(path: string, source: string): string[] {
  const { module, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const named = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
  ];
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start, end));
  // The path of a dynamic import can be computed; those cannot be checked here.
  return [...named, ...dynamic.filter((text) => /^['"`]/.test(text)).map((text) => text.slice(1, -1))];
}

const toPosix = (path: string) => path.replaceAll('\\', '/');

function importsOf(path: string, source: string): Import[] {
  return specifiers(path, source).map((specifier) => ({
    from: path,
    to: specifier.startsWith('.')
      ? toPosix(relative(root, resolve(root, dirname(path), specifier)))
      : specifier === '#index'
        ? 'index/public.ts'
        : specifier,
  }));
}

/** The room that a file belongs to; `index` is one of them. Null for files outside of rooms. */
function roomOf(path: string): string | null {
  if (path.startsWith('index/')) return 'index';
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** The room whose inside a file may see: its own; for a unit test, the room that it tests. */
const homeOf = (path: string) =>
  roomOf(path.replace(/^test\//, '')) ??
  (path.startsWith('bench/') || path.startsWith('test/bench/') ? 'bench' : null);

const isDoor = (path: string) => path.endsWith('/public.ts');

/** Why an import is not allowed, or null. */
function objection({ from, to }: Import): string | null {
  if (!/^(src|index|bench|test|page)\//.test(to)) return null;
  const isProduct = /^(src|index)\//.test(from);
  if (isProduct && /^(bench|test)\//.test(to)) return 'the product imports neither bench nor test';
  if (to.startsWith('page/')) return from.startsWith('page/') ? null : 'the page is for browsers alone';
  if (from.startsWith('page/') && NAMED_DOORS[to] !== 'page/')
    return 'the page knows only the types of its requests';
  if (from.startsWith('index/') && to.startsWith('src/')) return 'the index is a leaf';
  const [room, other] = [roomOf(from), roomOf(to)];
  if (other === null) return null;
  // The parsers that a fuzzer feeds are inside of their rooms.
  if (homeOf(from) !== other && !isDoor(to) && !from.startsWith('test/fuzz/')) {
    const user = NAMED_DOORS[to];
    if (user === undefined || !(from.startsWith(user) || from.startsWith(`test/${user}`)))
      return `${to} is inside of ${other}: import its public.ts`;
  }
  if (room !== null && room === other && isDoor(to)) return 'a room does not use its own door';
  if (room === null || room === other || room === 'index' || other === 'index') return null;
  return heightOf(room) < heightOf(other) ? null : `${room} may not import ${other}`;
}

/** Import circles among files, each as its files in order, starting with the first by name. Types count. */
function circles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const found = new Set<string>();
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = path.slice(start);
      const first = circle.indexOf([...circle].sort()[0]!);
      found.add([...circle.slice(first), ...circle.slice(0, first)].join(' → '));
      return;
    }
    if (finished.has(file)) return;
    for (const other of next.get(file) ?? []) visit(other, [...path, file]);
    finished.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return [...found].sort();
}

const product = globSync(['index/**/*.ts', 'src/**/*.ts'], { cwd: root }).map(toPosix).sort();
const others = globSync(['bench/**/*.ts', 'test/**/*.ts', 'page/**/*.{ts,tsx}'], {
  cwd: root,
  ignore: ['**/fixtures/**', '**/golden/**'],
})
  .map(toPosix)
  .sort();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const planted = (path: string, source: string) => importsOf(path, source).map(objection);

describe('rooms', () => {
  it('all have a place in the order, a door, and at most three levels of folders', () => {
    const rooms = [...new Set(product.flatMap((file) => roomOf(file) ?? []))].filter(
      (room) => room !== 'index',
    );
    expect(rooms.filter((room) => heightOf(room) === -1)).toEqual([]);
    expect(rooms.filter((room) => room !== 'cli' && !product.includes(`src/${room}/public.ts`))).toEqual([]);
    expect(ORDER.flat().filter((room) => !rooms.includes(room))).toEqual([]);
    expect(product.filter((file) => file.replace(/^src\//, '').split('/').length > 4)).toEqual([]);
    expect(product.length).toBeGreaterThan(300);
  });

  it('import downward, and each other through public.ts', () => {
    const wrong = [...product, ...others]
      .flatMap((file) => importsOf(file, read(file)))
      .flatMap((entry) => {
        const reason = objection(entry);
        return reason === null ? [] : `${entry.from} → ${entry.to}: ${reason}`;
      });
    expect(wrong).toEqual([]);
  });

  it('have no import circles, types included', () => {
    expect(circles(product.flatMap((file) => importsOf(file, read(file))))).toEqual([]);
  });

  it('keep environment, arguments, stdout and exit in cli, stdio and the settings of app', () => {
    const touching = product
      .filter((file) => !/^src\/(cli|stdio)\/|^src\/app\/settings\.ts$/.test(file))
      .filter((file) => /process\.(env|argv|stdout|exit)\b/.test(read(file)));
    expect(touching).toEqual([]);
  });

  it('keep wire names in mcp and cli', () => {
    const touching = product
      .filter((file) => !/^src\/(cli|mcp)\//.test(file))
      .filter((file) => wireNames(read(file)).length > 0);
    expect(touching).toEqual([]);
  });
});

/** Wire names in code; comments do not count. */
function wireNames(source: string): string[] {
  const { comments } = parseSync('x.ts', source);
  let code = source;
  for (const { start, end } of comments)
    code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end);
  return code.match(/\b(top_k|max_tokens)\b/g) ?? [];
}

describe('planted violations are caught', () => {
  it('upward imports, static, typed, lazy and re-exported', () => {
    const reason = 'search may not import gateway';
    expect(planted('src/search/x.ts', "import type { A } from '../gateway/public.ts';")).toEqual([reason]);
    expect(planted('src/search/x.ts', "const { a } = await import('../gateway/public.ts');")).toEqual([
      reason,
    ]);
    expect(planted('src/search/x.ts', "export { a } from '../gateway/public.ts';")).toEqual([reason]);
    expect(planted('src/search/x.ts', "import { plan } from '../indexing/public.ts';")).toEqual([
      'search may not import indexing',
    ]);
    expect(planted('src/gateway/x.ts', "import { search } from '../search/public.ts';")).toEqual([null]);
  });

  it('imports past a door, also in bench and in tests of other rooms', () => {
    const inside = (file: string, room: string) => `${file} is inside of ${room}: import its public.ts`;
    expect(planted('src/gateway/x.ts', "import { a } from '../search/search.ts';")).toEqual([
      inside('src/search/search.ts', 'search'),
    ]);
    expect(planted('src/skills/x.ts', "import { a } from '../../index/reader.ts';")).toEqual([
      inside('index/reader.ts', 'index'),
    ]);
    expect(planted('bench/x.ts', "import { a } from '../src/search/search.ts';")).toEqual([
      inside('src/search/search.ts', 'search'),
    ]);
    expect(planted('bench/x.ts', "import { a } from '../src/search/bench.ts';")).toEqual([null]);
    expect(planted('src/gateway/x.ts', "import { a } from '../search/bench.ts';")).toEqual([
      inside('src/search/bench.ts', 'search'),
    ]);
    expect(planted('test/src/gateway/x.ts', "import { a } from '../../../src/search/search.ts';")).toEqual([
      inside('src/search/search.ts', 'search'),
    ]);
    expect(planted('test/src/search/x.ts', "import { a } from '../../../src/search/search.ts';")).toEqual([
      null,
    ]);
    expect(planted('test/fuzz/x.ts', "import { a } from '../../src/search/search.ts';")).toEqual([null]);
    expect(planted('src/search/x.ts', "import { a } from './public.ts';")).toEqual([
      'a room does not use its own door',
    ]);
    expect(planted('src/search/x.ts', "import { Reader } from '#index';")).toEqual([null]);
  });

  it('the index as more than a leaf, and a product that needs its tests', () => {
    expect(planted('index/reader.ts', "import { a } from '../src/skills/public.ts';")).toEqual([
      'the index is a leaf',
    ]);
    expect(planted('src/search/x.ts', "import { a } from '../../bench/run.ts';")).toEqual([
      'the product imports neither bench nor test',
    ]);
  });

  it('server code in the page, and page code in the server', () => {
    const reason = 'the page knows only the types of its requests';
    expect(planted('page/views/x.tsx', "import { a } from '../../src/explore/public.ts';")).toEqual([reason]);
    expect(planted('page/x.ts', "import { Reader } from '../index/public.ts';")).toEqual([reason]);
    expect(planted('page/x.ts', "import type { Api } from '../src/explore/api.ts';")).toEqual([null]);
    expect(planted('src/explore/x.ts', "import { App } from '../../page/app.tsx';")).toEqual([
      'the page is for browsers alone',
    ]);
    expect(planted('src/http/x.ts', "import type { Api } from '../explore/api.ts';")).toEqual([
      'src/explore/api.ts is inside of explore: import its public.ts',
    ]);
  });

  it('circles, also of types', () => {
    const files = {
      'src/a/x.ts': "import type { Y } from './y.ts';",
      'src/a/y.ts': "import { z } from './z.ts'; import 'node:fs';",
      'src/a/z.ts': "export type { X } from './x.ts';",
      'src/a/w.ts': "import { z } from './z.ts';",
    };
    expect(circles(Object.entries(files).flatMap(([path, source]) => importsOf(path, source)))).toEqual([
      'src/a/x.ts → src/a/y.ts → src/a/z.ts',
    ]);
  });

  it('wire names in code, not in comments', () => {
    expect(wireNames('// top_k\nconst a = { top_k: 1 };')).toEqual(['top_k']);
    expect(wireNames('/** max_tokens */ const maxTokens = 1;')).toEqual([]);
  });
});
