/** The rules of ARCHITECTURE.md, checked on the syntax tree of every file. */

import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import {
  circles,
  coreFilesPerExtension,
  type Import,
  importsIn,
  loadedAtStart,
  readSource,
  servedByDefault,
  sourceFiles,
} from './imports.ts';

/** Rooms of `src/` from top to bottom. A room imports from those below it; `catalog` and `search` also from the index. */
const COLUMN = ['cli', 'app', 'serve', 'mcp', 'gateway', 'catalog', 'search', 'sources', 'skills', 'base'];

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
  base: ['files/', 'redaction/'],
  sources: [
    'scan/catalog.ts',
    'scan/changed-subtree.ts',
    'scan/entry.ts',
    'scan/real-path.ts',
    'scan/roots.ts',
    'scan/host-folders.ts',
    'scan/walk.ts',
    'scan/watch.ts',
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
  serve: ['stdio/stdio.ts', 'telemetry/'],
  app: ['config/'],
  cli: ['commands/with-gateway.ts'],
};

/** The entries: the only files that know the core and the list of extensions. */
const ENTRIES = ['bin/skillgate.ts', 'bin/public.ts'];
const LIST = 'extensions/extensions.ts';
/**
 * Extensions that know of others: the page shows what is found; the database keeps tokens in their form; `doctor` starts what
 * hosts would start; reports name tools of connected servers; `validate` checks requests as
 * they are added. `net` is guarded network access, which several share.
 */
const USES: Readonly<Record<string, readonly string[]>> = {
  'extensions/authoring': ['extensions/connect', 'extensions/remote-sources', 'extensions/requests'],
  'extensions/connect': ['extensions/remote-sources'],
  'extensions/explore': ['extensions/authoring', 'extensions/usage'],
  'extensions/http': ['extensions/net'],
  'extensions/postgres': ['extensions/http'],
  'extensions/remote-sources': ['extensions/net'],
  'extensions/scripts': ['extensions/net'],
  'extensions/usage': ['extensions/remote-sources'],
};

/** The room that a file belongs to: `index`, `search`, `extensions/eval`. Null for files outside of rooms. */
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
  if (!/^(bin|src|index|extensions|bench|test|page)\//.test(to)) return null;
  const isProduct = /^(bin|src|index|extensions)\//.test(from);
  if (isProduct && /^(bench|test)\//.test(to)) return 'the product imports neither bench nor test';
  if (to.startsWith('page/')) return from.startsWith('page/') ? null : 'the page is for browsers alone';
  if (from.startsWith('page/'))
    return to === 'extensions/explore/api.ts' ? null : 'the page knows only the types of its requests';
  if (from.startsWith('index/')) return to.startsWith('index/') ? null : 'the index knows nothing of src';
  if (isProduct && to.startsWith('bin/')) return 'nothing imports an entry';
  if (to === LIST)
    return !isProduct || ENTRIES.includes(from) ? null : `only ${ENTRIES.join(' and ')} know the extensions`;
  const [room, other] = [roomOf(from), roomOf(to)];
  if (other === null || room === other || homeOf(from) === other) return null;
  if (isExtension(other)) {
    if (!isProduct || (from === LIST && isLazy) || USES[room ?? '']?.includes(other)) return null;
    return isExtension(room)
      ? 'extensions know nothing of each other'
      : `only ${LIST} names extensions, lazily`;
  }
  // The parsers that a fuzzer feeds are inside of their rooms.
  if (!isPublic(to, other) && !from.startsWith('test/fuzz/')) return `${to} is inside of ${other}`;
  if (room === null || isExtension(room)) return null;
  const isBelow = heightOf(room) < heightOf(other === 'index' ? 'sources' : other);
  return isBelow ? null : `${room} may not import ${other}`;
}

const product = sourceFiles('bin/*.ts', 'index/**/*.ts', 'src/**/*.ts', 'extensions/**/*.ts');
const others = sourceFiles('bench/**/*.ts', 'test/**/*.ts', 'page/**/*.{ts,tsx}');
const imports = [...product, ...others].flatMap((file) => importsIn(file, readSource(file)));

/** Lines that the default `serve` reaches. */
const SERVED_LINES = 31_485;
/** Files of the core that each extension imports. */
const CORE_FILES: Readonly<Record<string, number>> = {
  ard: 6,
  authoring: 52,
  compat: 20,
  connect: 41,
  eval: 10,
  explore: 43,
  http: 21,
  learning: 13,
  net: 1,
  postgres: 35,
  'remote-sources': 44,
  requests: 18,
  scripts: 25,
  usage: 10,
};

describe('rooms', () => {
  it('are all in the column, with folders at most three deep', () => {
    const rooms = [...new Set(product.flatMap((file) => roomOf(file) ?? []))];
    expect(rooms.filter((room) => !isExtension(room)).sort()).toEqual([...COLUMN, 'index'].sort());
    expect(product.filter((file) => file.replace(/^(src|extensions)\//, '').split('/').length > 4)).toEqual(
      [],
    );
    expect(product.length).toBeGreaterThan(300);
  });

  it('import downward, and only public files of each other', () => {
    const wrong = imports.flatMap((entry) => {
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
    expect(circles(imports.filter(({ from, isLazy }) => from !== LIST || !isLazy))).toEqual([]);
  });

  it('keep environment, arguments, stdout and exit in cli, serve/stdio and the configuration of app', () => {
    const touching = product
      .filter((file) => !/^src\/(cli|serve\/stdio)\/|^src\/app\/configured\.ts$/.test(file))
      .filter((file) => !/^extensions\/[^/]+\/commands\//.test(file))
      .filter((file) => /process\.(env|argv|stdout|exit)\b/.test(readSource(file)));
    expect(touching).toEqual([]);
  });

  it('open files in base/files alone, but for their own', () => {
    const opening = product.flatMap((file) => readers(file, readSource(file)));
    expect(opening.map((line) => line.split(': ')[0]).filter((file) => !OWN_FILES[file!])).toEqual([]);
    expect(Object.keys(OWN_FILES).filter((file) => !opening.some((line) => line.startsWith(file)))).toEqual(
      [],
    );
  });

  it('use plain words in code, comments and documents', () => {
    const documents = sourceFiles('*.md', 'docs/**/*.md').filter((file) => file !== 'CHANGELOG.md');
    const translated = [...product, ...sourceFiles('page/**/*.{ts,tsx}'), ...documents]
      .filter((file) => !HAS_SUCH_WORDS.test(file))
      .flatMap((file) => (readSource(file).match(TRANSLATED) ?? []).map((word) => `${file}: ${word}`));
    expect(translated).toEqual([]);
  });

  it('keep wire names in mcp, cli and extensions', () => {
    const touching = product
      .filter((file) => !/^(src\/(cli|mcp)|extensions\/\w+)\//.test(file))
      .filter((file) => wireNames(readSource(file)).length > 0);
    expect(touching).toEqual([]);
  });
});

/** Words of translated English; the user that is called so is not meant. */
const TRANSLATED = /(?<!user |`)\b(?:nobody|somebody|besides|stands|whoever|mend|thrice)\b/g;
/** Lists of English words, and the sandbox, whose user has that name. */
const HAS_SUCH_WORDS =
  /^extensions\/authoring\/words\.ts$|\/word-weights\.ts$|^extensions\/(explore\/examples|scripts\/sandbox\/)/;

/** Files that open files by name, and what those are: none that a cloned project, a plugin or a source brings along. */
const OWN_FILES: Readonly<Record<string, string>> = {
  'index/directory/disk.ts': 'the index',
  'index/vectors/hnsw-file.ts': 'the index',
  'src/app/open-telemetry.ts': 'the log, to append',
  'src/app/package-root.ts': 'the package',
  'src/cli/compiled.ts': 'the program',
  'src/base/files/open.ts': 'this is where files are opened',
  'src/base/files/replace.ts': 'drafts',
  'extensions/connect/examine.ts': 'the package',
  'src/search/embedding/model-file.ts': 'the model',
  'src/search/embedding/transformers.ts': 'the model',
  'extensions/remote-sources/archive/source.ts': 'the archive that the configuration names, and a copy of it',
  'extensions/remote-sources/archive/unpack.ts': 'that archive, checked to be a regular file',
  'extensions/remote-sources/fetched/object-store.ts': 'new files of the store',
  'extensions/remote-sources/fetched/tree.ts': 'the store',
  'src/sources/scan/watch.ts': 'a number of the kernel',
  'extensions/remote-sources/well-known/source.ts': 'downloads',
  'extensions/explore/sent.ts': 'the package',
  'extensions/eval/dataset.ts': 'a file or pipe that the command line names',
  'extensions/eval/commands/eval.ts': 'a file or pipe that the command line names',
  'extensions/learning/store.ts': 'what was learned',
  'extensions/requests/commands/requests.ts': 'a file or pipe that the command line names',
  'extensions/scripts/commands/run.ts': 'a file or pipe that the command line names',
  'extensions/scripts/sandbox/bubblewrap.ts': 'devices and folders of the system',
  'extensions/scripts/sandbox/collect.ts': 'files that a script made, checked to be regular',
  'extensions/scripts/sandbox/control-group.ts': 'cgroups',
  'extensions/scripts/sandbox/descriptors.ts': 'procfs',
  'extensions/scripts/sandbox/memory-watch.ts': 'procfs',
  'extensions/scripts/sandbox/pipes.ts': 'pipes',
};

const OPENS =
  /^(open(Sync|AsBlob)?|readFile(Sync)?|createReadStream|copyFile(Sync)?|cp(Sync)?|promises|default)$/;

/** Names of `node:fs` that open a file, as `file: name`; all of its names where it is imported whole or dynamically. */
function readers(path: string, source: string): string[] {
  const { module } = parseSync(path, source);
  const isFs = (name: string) => /^['"`]?(node:)?fs(\/promises)?['"`]?$/.test(name);
  const named = module.staticImports
    .filter(({ moduleRequest }) => isFs(moduleRequest.value))
    .flatMap(({ entries }) => entries)
    .filter(({ isType }) => !isType)
    .map(({ importName }) => importName.name ?? 'default');
  const whole = module.dynamicImports.filter(({ moduleRequest: { start, end } }) =>
    isFs(source.slice(start, end)),
  );
  const required = /\b(require|getBuiltinModule)\(/.test(source) ? ['require'] : [];
  return [...named.filter((name) => OPENS.test(name)), ...whole.map(() => 'import'), ...required].map(
    (name) => `${path}: ${name}`,
  );
}

/** Wire names in code; comments do not count. */
function wireNames(source: string): string[] {
  const { comments } = parseSync('x.ts', source);
  let code = source;
  for (const { start, end } of comments)
    code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end);
  return code.match(/\b(top_k|max_tokens)\b/g) ?? [];
}

/** What belongs to one extension. `draft` also as the name of a revision of the protocol, but for that of JSON Schema. */
const MATTER =
  /extensions\/|skill-engine|skills-mcp|get_skill|skills\/read|postgres|\b(older|both|the|no-) ?drafts?\b|\bdrafts?(\/| [AB]\b|[.:,)}])/;
/** Files of the core that name such a thing still: the list only shrinks. */
const NAMING: readonly string[] = [
  'src/app/create-skillgate.ts',
  'src/app/server-tools.ts',
  'src/app/server.ts',
  'src/cli/commands/serve.ts',
  'src/cli/main.ts',
  'src/gateway/resolve.ts',
  'src/mcp/older-methods.ts',
  'src/mcp/script-tools.ts',
  'src/mcp/skill-arguments.ts',
  'src/mcp/skill-pages.ts',
  'src/mcp/tools/profile.ts',
  'src/mcp/warnings.ts',
];

describe('the core', () => {
  it('names nothing that belongs to an extension', () => {
    const naming = product.filter((file) => /^(src|index)\//.test(file) && MATTER.test(readSource(file)));
    expect(naming).toEqual(NAMING);
  });

  it('of the default `serve` only gets smaller', () => {
    expect(servedByDefault(imports).lines).toBeLessThanOrEqual(SERVED_LINES);
  });

  it('answers `initialize` before it loads what finds and opens skills', () => {
    const early = loadedAtStart(imports).filter((file) =>
      /^(index\/(lexical|segment|vectors)|src\/(search\/search|gateway\/(pipeline|use-cases)|catalog\/run))/.test(
        file,
      ),
    );
    expect(early).toEqual([]);
  });

  it('gives each extension fewer files than before', () => {
    const counts = Array.from(coreFilesPerExtension(imports), ([name, files]) => [name, files.size]);
    for (const [name, count] of counts)
      expect(count, `core files that ${name} imports`).toBeLessThanOrEqual(CORE_FILES[name!] ?? 0);
  });
});

describe('planted violations are caught', () => {
  const [UPWARD, INSIDE] = [
    'search may not import gateway',
    'src/catalog/indexing/tasks.ts is inside of catalog',
  ];
  const [LAZILY, APART] = [`only ${LIST} names extensions, lazily`, 'extensions know nothing of each other'];
  const [TESTS, PAGE] = [
    'the product imports neither bench nor test',
    'the page knows only the types of its requests',
  ];

  it.each<[from: string, source: string, reason: string | null]>([
    // Upward: static, typed, lazy and re-exported.
    ['src/search/x.ts', "import type { A } from '../gateway/open.ts';", UPWARD],
    ['src/search/x.ts', "const { a } = await import('../gateway/open.ts');", UPWARD],
    ['src/search/x.ts', "export { a } from '../gateway/open.ts';", UPWARD],
    ['src/skills/x.ts', "import { a } from '../../index/writer.ts';", 'skills may not import index'],
    ['src/gateway/x.ts', "import { search } from '../search/search.ts';", null],
    // What is inside of a room, also in bench and in tests of other rooms.
    ['src/gateway/x.ts', "import { a } from '../catalog/indexing/tasks.ts';", INSIDE],
    ['extensions/eval/x.ts', "import { a } from '../../src/catalog/indexing/tasks.ts';", INSIDE],
    ['bench/x.ts', "import { a } from '../src/catalog/indexing/tasks.ts';", INSIDE],
    ['test/src/gateway/x.ts', "import { a } from '../../../src/catalog/indexing/tasks.ts';", INSIDE],
    ['test/src/catalog/x.ts', "import { a } from '../../../src/catalog/indexing/tasks.ts';", null],
    ['test/fuzz/x.ts', "import { a } from '../../src/catalog/indexing/tasks.ts';", null],
    ['src/gateway/x.ts', "import { a } from '../catalog/indexing/report.ts';", null],
    // An index that knows of src, and a product that needs its tests.
    ['index/x.ts', "import type { A } from '../src/base/json.ts';", 'the index knows nothing of src'],
    ['src/search/x.ts', "import { a } from '../../bench/run.ts';", TESTS],
    // A core that needs an extension, and extensions that need each other.
    ['src/app/x.ts', "import { a } from '../../extensions/eval/dataset.ts';", LAZILY],
    ['src/app/x.ts', "import type { A } from '../../extensions/eval/dataset.ts';", LAZILY],
    ['src/app/x.ts', "await import('../../extensions/eval/dataset.ts');", LAZILY],
    [LIST, "import { a } from './eval/extension.ts';", LAZILY],
    [LIST, "await import('./eval/extension.ts');", null],
    ['bin/skillgate.ts', "import { a } from '../extensions/extensions.ts';", null],
    [
      'src/app/x.ts',
      `import { a } from '../../${LIST}';`,
      `only ${ENTRIES.join(' and ')} know the extensions`,
    ],
    ['src/cli/x.ts', "import { a } from '../../bin/skillgate.ts';", 'nothing imports an entry'],
    ['extensions/eval/x.ts', "import { a } from '../scripts/x.ts';", APART],
    ['extensions/explore/x.ts', "import { a } from '../authoring/why.ts';", null],
    ['extensions/authoring/x.ts', "import { a } from '../explore/map.ts';", APART],
    // Server code in the page, and page code in the server.
    ['page/views/x.tsx', "import { a } from '../../extensions/explore/open.ts';", PAGE],
    ['page/x.ts', "import { Reader } from '../index/reader/reader.ts';", PAGE],
    ['page/x.ts', "import type { Api } from '../extensions/explore/api.ts';", null],
    ['extensions/explore/x.ts', "import { a } from '../../page/app.tsx';", 'the page is for browsers alone'],
  ])('in %s: %s', (from, source, reason) => {
    expect(importsIn(from, source).map(objection)).toEqual([reason]);
  });

  it('circles, also of types', () => {
    const files = {
      'src/a/x.ts': "import type { Y } from './y.ts';",
      'src/a/y.ts': "import { z } from './z.ts'; import 'node:fs';",
      'src/a/z.ts': "export type { X } from './x.ts';",
      'src/a/w.ts': "import { z } from './z.ts';",
    };
    expect(circles(Object.entries(files).flatMap(([path, source]) => importsIn(path, source)))).toEqual([
      'src/a/x.ts → src/a/y.ts → src/a/z.ts',
    ]);
  });

  it.each([
    ["import { readFileSync as read } from 'node:fs';", 'readFileSync'],
    ["import { open } from 'fs/promises';", 'open'],
    ["import * as fs from 'node:fs';", 'default'],
    ["import fs from 'node:fs';", 'default'],
    ["const { readFile } = await import('node:fs/promises');", 'import'],
    ["const fs = process.getBuiltinModule('fs');", 'require'],
  ])('files that are opened past base/files: %s', (source, name) => {
    expect(readers('src/x.ts', source)).toEqual([`src/x.ts: ${name}`]);
    expect(readers('src/x.ts', "import { statSync, type Stats } from 'node:fs';")).toEqual([]);
  });

  it('wire names in code, not in comments', () => {
    expect(wireNames('// top_k\nconst a = { top_k: 1 };')).toEqual(['top_k']);
    expect(wireNames('/** max_tokens */ const maxTokens = 1;')).toEqual([]);
  });
});
