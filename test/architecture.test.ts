/** The import order of ARCHITECTURE.md, checked on every file: data flows one way. */

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Rooms from top to bottom; a room may import from rooms below it, and rooms of one row not from each other. */
const ORDER = [
  ['cli'],
  ['transports'],
  ['telemetry'],
  ['mcp'],
  ['gateway'],
  ['search', 'indexing', 'evaluation'],
  ['embed'],
  ['passages'],
  ['catalog'],
  ['peers'],
  ['skills', 'net'],
  ['sandbox'],
  ['errors', 'timing'],
];

const heightOf = (room: string) => ORDER.findIndex((row) => row.includes(room));

interface Import {
  readonly from: string;
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
  // A dynamic import of a computed path says nothing that could be checked; the others are string literals.
  return [...named, ...dynamic.filter((text) => /^['"`]/.test(text)).map((text) => text.slice(1, -1))];
}

function importsOf(path: string, source: string): Import[] {
  return specifiers(path, source).map((specifier) => ({
    from: path,
    to: specifier.startsWith('.') ? relative(root, resolve(root, dirname(path), specifier)) : specifier,
  }));
}

const roomOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];

/** Why an import is not allowed, or null. */
function objection({ from, to }: Import): string | null {
  if (from.startsWith('index/'))
    return to.startsWith('src/') || to === '#index' ? 'the index is a leaf' : null;
  if (from.startsWith('bench/') || from.startsWith('test/')) return null;
  if (to.startsWith('index/')) return 'the index has one door, #index';
  if (to.startsWith('bench/') || to.startsWith('test/')) return 'nothing imports bench or test';
  const [room, other] = [roomOf(from), roomOf(to)];
  if (room === undefined || other === undefined || room === other) return null;
  return heightOf(room) < heightOf(other) ? null : `${room} may not import ${other}`;
}

const files = globSync(['index/**/*.ts', 'src/**/*.ts'], { cwd: root }).sort();

describe('the import order', () => {
  it('knows every room', () => {
    const rooms = new Set(files.flatMap((file) => roomOf(file) ?? []));
    expect([...rooms].filter((room) => heightOf(room) === -1)).toEqual([]);
    expect(files.length).toBeGreaterThan(80);
  });

  it('holds in every file, for static, type-only and dynamic imports', () => {
    const wrong = files
      .flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
      .flatMap((entry) => {
        const reason = objection(entry);
        return reason === null ? [] : `${entry.from} → ${entry.to}: ${reason}`;
      });
    expect(wrong).toEqual([]);
  });

  it('catches planted violations', () => {
    const planted = (path: string, source: string) =>
      importsOf(path, source).map((entry) => objection(entry) !== null);
    expect(planted('src/search/x.ts', "import type { A } from '../gateway/gateway.ts';")).toEqual([true]);
    expect(planted('src/search/x.ts', "const a = await import('../mcp/server.ts');")).toEqual([true]);
    expect(planted('src/search/x.ts', "export { plan } from '../indexing/plan.ts';")).toEqual([true]);
    expect(planted('src/skills/x.ts', "import { a } from '../../index/reader.ts';")).toEqual([true]);
    expect(planted('index/reader.ts', "import { a } from '../src/skills/skill.ts';")).toEqual([true]);
    expect(planted('src/search/x.ts', "import { Reader } from '#index';")).toEqual([false]);
    expect(planted('src/gateway/x.ts', "import { search } from '../search/search.ts';")).toEqual([false]);
  });

  it('keeps process.env, argv, stdout and exit at the rim', () => {
    const inner = files.filter((file) => !/^src\/(cli|transports)\//.test(file));
    const touching = inner.filter((file) =>
      /process\.(env|argv|stdout|exit)\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(touching).toEqual([]);
  });
});
