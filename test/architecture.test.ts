/** The rules of ARCHITECTURE.md, checked on the syntax tree of every file. */

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Rooms of `src/` and the index, from top to bottom. A room imports from those below it. */
const COLUMN = [
  'cli',
  'hosts',
  'app',
  'serve',
  'mcp',
  'gateway',
  'authoring',
  'catalog',
  'search',
  'index',
  'sources',
  'skills',
  'base',
];

/**
 * Files that other rooms may import. Those in the root of a room are public; of its folders only these are, as files or
 * folders.
 */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  index: [
    'directory/',
    'lexical/analysis/analyzer.ts',
    'lexical/language/detect.ts',
    'lexical/language/stemmers.ts',
    'lexical/postings/',
    'lexical/query/',
    'reader/',
    'segment/',
    'vectors/',
  ],
  base: ['files/', 'net/', 'redaction/'],
  sources: [
    'fetched/preflight.ts',
    'fetched/refresh.ts',
    'mcp/fetch-context.ts',
    'mcp/source.ts',
    'mcp/strategies.ts',
    'scan/catalog.ts',
    'scan/changed-subtree.ts',
    'scan/entry.ts',
    'scan/real-path.ts',
    'scan/folder-for-new.ts',
    'scan/roots.ts',
    'scan/host-folders.ts',
    'scan/walk.ts',
    'scan/watch.ts',
    'upstream/address.ts',
    'upstream/connection.ts',
    'upstream/error-mapping.ts',
    'upstream/errors.ts',
    'upstream/tools.ts',
  ],
  search: [
    'embedding/open.ts',
    'passages/card.ts',
    'passages/document.ts',
    'passages/files.ts',
    'passages/languages.ts',
    'passages/version.ts',
  ],
  catalog: [
    'indexing/background-indexing.ts',
    'indexing/damage.ts',
    'indexing/options.ts',
    'indexing/report.ts',
    'indexing/run.ts',
    'indexing/worker-pool.ts',
  ],
  gateway: ['policy/', 'tools/toolbox.ts'],
  mcp: ['tools/'],
  serve: [
    'http/auth/token-file.ts',
    'http/auth/tokens.ts',
    'http/http.ts',
    'http/listen.ts',
    'http/rate-limits.ts',
    'http/settings.ts',
    'http/web-handler.ts',
    'stdio/stdio.ts',
    'telemetry/',
  ],
  app: ['config/'],
  cli: ['commands/requests.ts', 'commands/with-gateway.ts'],
};

/** The list of extensions: the one file of the core that changes when an extension comes or goes. */
const LIST = 'extensions/extensions.ts';
/** Their sections of the configuration, which the schema joins. */
const SECTIONS = 'extensions/settings.ts';

interface Import {
  readonly from: string;
  /** A path from the root of the repository, or a package's name. */
  readonly to: string;
  readonly isLazy: boolean;
}

/** Every module that a source file names: static, type-only, re-exported or dynamic. */
function specifiers(path: string, source: string): { readonly name: string; readonly isLazy: boolean }[] {
  const { module, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const named = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
  ];
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start, end));
  return [
    ...named.map((name) => ({ name, isLazy: false })),
    // The path of a dynamic import can be computed; those cannot be checked here.
    ...dynamic
      .filter((text) => /^['"`]/.test(text))
      .map((text) => ({ name: text.slice(1, -1), isLazy: true })),
  ];
}

const toPosix = (path: string) => path.replaceAll('\\', '/');

const importsOf = (path: string, source: string): Import[] =>
  specifiers(path, source).map(({ name, isLazy }) => ({
    from: path,
    to: name.startsWith('.') ? toPosix(relative(root, resolve(root, dirname(path), name))) : name,
    isLazy,
  }));

/** The room that a file belongs to: `index`, `search`, `extensions/lab`. Null for files outside of rooms. */
function roomOf(path: string): string | null {
  if (path.startsWith('index/')) return 'index';
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? /^(extensions\/[^/]+)\//.exec(path)?.[1] ?? null;
}

/** The room whose inside a file may see: its own; for a unit test, the room that it tests. */
const homeOf = (path: string) => roomOf(path.replace(/^test\//, ''));
const isExtension = (room: string | null) => room?.startsWith('extensions/') === true;
const heightOf = (room: string) => COLUMN.indexOf(room);

function isPublic(path: string, room: string): boolean {
  const inside = path.slice(room === 'index' ? 'index/'.length : `src/${room}/`.length);
  return !inside.includes('/') || (PUBLIC[room] ?? []).some((name) => inside.startsWith(name));
}

/** Why an import is not allowed, or null. */
function objection({ from, to, isLazy }: Import): string | null {
  if (!/^(src|index|extensions|bench|test|page)\//.test(to)) return null;
  const isProduct = /^(src|index|extensions)\//.test(from);
  if (isProduct && /^(bench|test)\//.test(to)) return 'the product imports neither bench nor test';
  if (to.startsWith('page/')) return from.startsWith('page/') ? null : 'the page is for browsers alone';
  if (from.startsWith('page/'))
    return to === 'extensions/explore/api.ts' ? null : 'the page knows only the types of its requests';
  if (from.startsWith('index/') && !/^(index|src\/base)\//.test(to)) return 'the index knows only base';
  const [room, other] = [roomOf(from), roomOf(to)];
  if (other === null || room === other || homeOf(from) === other) return null;
  if (isExtension(other)) {
    if (!isProduct || (from === LIST && isLazy)) return null;
    if (from === SECTIONS && to.endsWith('/settings.ts')) return null;
    return isExtension(room)
      ? 'extensions know nothing of each other'
      : `only ${LIST} names extensions, lazily`;
  }
  // The parsers that a fuzzer feeds are inside of their rooms.
  if (!isPublic(to, other) && !from.startsWith('test/fuzz/')) return `${to} is inside of ${other}`;
  if (room === null || isExtension(room)) return null;
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

const product = globSync(['index/**/*.ts', 'src/**/*.ts', 'extensions/**/*.ts'], { cwd: root })
  .map(toPosix)
  .sort();
const others = globSync(['bench/**/*.ts', 'test/**/*.ts', 'page/**/*.{ts,tsx}'], {
  cwd: root,
  ignore: ['**/fixtures/**', '**/golden/**'],
})
  .map(toPosix)
  .sort();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const planted = (path: string, source: string) => importsOf(path, source).map(objection);

describe('rooms', () => {
  it('all stand in the column, with folders at most three deep', () => {
    const rooms = [...new Set(product.flatMap((file) => roomOf(file) ?? []))];
    expect(rooms.filter((room) => !isExtension(room)).sort()).toEqual([...COLUMN].sort());
    expect(product.filter((file) => file.replace(/^(src|extensions)\//, '').split('/').length > 4)).toEqual(
      [],
    );
    expect(product.length).toBeGreaterThan(300);
  });

  it('import downward, and only public files of each other', () => {
    const wrong = [...product, ...others]
      .flatMap((file) => importsOf(file, read(file)))
      .flatMap((entry) => {
        const reason = objection(entry);
        return reason === null ? [] : `${entry.from} → ${entry.to}: ${reason}`;
      });
    expect(wrong).toEqual([]);
  });

  it('name no public file that is gone', () => {
    const named = Object.entries(PUBLIC).flatMap(([room, files]) =>
      files.map((file) => (room === 'index' ? `index/${file}` : `src/${room}/${file}`)),
    );
    expect(named.filter((name) => !product.some((file) => file.startsWith(name)))).toEqual([]);
  });

  it('have no import circles, types included', () => {
    // The list names extensions lazily, so that nothing of the core waits for them.
    const imports = product
      .flatMap((file) => importsOf(file, read(file)))
      .filter(({ from, isLazy }) => from !== LIST || !isLazy);
    expect(circles(imports)).toEqual([]);
  });

  it('keep environment, arguments, stdout and exit in cli, serve/stdio and the configuration of app', () => {
    const touching = product
      .filter((file) => !/^src\/(cli|serve\/stdio)\/|^src\/app\/configured\.ts$/.test(file))
      .filter((file) => !/^extensions\/[^/]+\/commands\//.test(file))
      .filter((file) => /process\.(env|argv|stdout|exit)\b/.test(read(file)));
    expect(touching).toEqual([]);
  });

  it('keep wire names in mcp, cli and extensions', () => {
    const touching = product
      .filter((file) => !/^(src\/(cli|mcp)|extensions\/\w+)\//.test(file))
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
    expect(planted('src/search/x.ts', "import type { A } from '../gateway/open.ts';")).toEqual([reason]);
    expect(planted('src/search/x.ts', "const { a } = await import('../gateway/open.ts');")).toEqual([reason]);
    expect(planted('src/search/x.ts', "export { a } from '../gateway/open.ts';")).toEqual([reason]);
    expect(planted('src/skills/x.ts', "import { a } from '../../index/writer.ts';")).toEqual([
      'skills may not import index',
    ]);
    expect(planted('src/gateway/x.ts', "import { search } from '../search/search.ts';")).toEqual([null]);
  });

  it('imports of what is inside of a room, also in bench and in tests of other rooms', () => {
    const inside = 'src/catalog/indexing/tasks.ts is inside of catalog';
    const path = 'catalog/indexing/tasks.ts';
    expect(planted('src/gateway/x.ts', `import { a } from '../${path}';`)).toEqual([inside]);
    expect(planted('extensions/lab/x.ts', `import { a } from '../../src/${path}';`)).toEqual([inside]);
    expect(planted('bench/x.ts', `import { a } from '../src/${path}';`)).toEqual([inside]);
    expect(planted('test/src/gateway/x.ts', `import { a } from '../../../src/${path}';`)).toEqual([inside]);
    expect(planted('test/src/catalog/x.ts', `import { a } from '../../../src/${path}';`)).toEqual([null]);
    expect(planted('test/fuzz/x.ts', `import { a } from '../../src/${path}';`)).toEqual([null]);
    expect(planted('src/gateway/x.ts', "import { a } from '../catalog/indexing/report.ts';")).toEqual([null]);
  });

  it('an index that knows more than base, and a product that needs its tests', () => {
    expect(planted('index/reader.ts', "import { a } from '../src/skills/skill.ts';")).toEqual([
      'the index knows only base',
    ]);
    expect(planted('src/search/x.ts', "import { a } from '../../bench/run.ts';")).toEqual([
      'the product imports neither bench nor test',
    ]);
  });

  it('a core that needs an extension, and extensions that need each other', () => {
    const reason = 'only extensions/extensions.ts names extensions, lazily';
    expect(planted('src/app/x.ts', "import { a } from '../../extensions/lab/beir.ts';")).toEqual([reason]);
    expect(planted('src/app/x.ts', "import type { A } from '../../extensions/lab/beir.ts';")).toEqual([
      reason,
    ]);
    expect(planted('src/app/x.ts', "await import('../../extensions/lab/beir.ts');")).toEqual([reason]);
    expect(planted('extensions/extensions.ts', "import { a } from './lab/extension.ts';")).toEqual([reason]);
    expect(planted('extensions/extensions.ts', "await import('./lab/extension.ts');")).toEqual([null]);
    expect(planted('extensions/settings.ts', "import { a } from './lab/extension.ts';")).toEqual([reason]);
    expect(planted('extensions/settings.ts', "import { a } from './lab/settings.ts';")).toEqual([null]);
    expect(planted('extensions/lab/x.ts', "import { a } from '../scripts/x.ts';")).toEqual([
      'extensions know nothing of each other',
    ]);
  });

  it('server code in the page, and page code in the server', () => {
    const reason = 'the page knows only the types of its requests';
    expect(planted('page/views/x.tsx', "import { a } from '../../extensions/explore/open.ts';")).toEqual([
      reason,
    ]);
    expect(planted('page/x.ts', "import { Reader } from '../index/reader/reader.ts';")).toEqual([reason]);
    expect(planted('page/x.ts', "import type { Api } from '../extensions/explore/api.ts';")).toEqual([null]);
    expect(planted('extensions/explore/x.ts', "import { App } from '../../page/app.tsx';")).toEqual([
      'the page is for browsers alone',
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
