/** What source files import, read from their syntax trees: for the architecture test and `bench/house.ts`. */

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { globSync } from 'tinyglobby';

const root = resolve(import.meta.dirname, '..');

export interface Import {
  readonly from: string;
  /** A path from the root of the repository, or a package's name. */
  readonly to: string;
  readonly isLazy: boolean;
  /** Only types, which are gone at run time. */
  readonly isType: boolean;
}

const toPosix = (path: string) => path.replaceAll('\\', '/');

export const readSource = (file: string): string => readFileSync(join(root, file), 'utf8');

export const sourceFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, ignore: ['**/fixtures/**', '**/golden/**'] })
    .map(toPosix)
    .sort();

/** Every module that a source file names: static, type-only, re-exported or dynamic. */
export function importsIn(path: string, source: string): Import[] {
  const { module, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const named = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      name: moduleRequest.value,
      isType: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null ? [] : { name: moduleRequest.value, isType },
      ),
    ),
  ];
  // The path of a dynamic import can be computed; those cannot be checked.
  const lazy = module.dynamicImports
    .map(({ moduleRequest: { start, end } }) => source.slice(start, end))
    .filter((text) => /^['"`]/.test(text))
    .map((text) => ({ name: text.slice(1, -1), isType: false, isLazy: true }));
  return [...named.map((entry) => ({ ...entry, isLazy: false })), ...lazy].map(({ name, ...entry }) => ({
    from: path,
    to: name.startsWith('.') ? toPosix(relative(root, resolve(root, dirname(path), name))) : name,
    ...entry,
  }));
}

/** Import circles among files, each as its files in order, starting with the first by name. Types count. */
export function circles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const closed = new Set<string>();
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = path.slice(start);
      const first = circle.indexOf([...circle].sort()[0]!);
      closed.add([...circle.slice(first), ...circle.slice(0, first)].join(' → '));
      return;
    }
    if (finished.has(file)) return;
    for (const other of next.get(file) ?? []) visit(other, [...path, file]);
    finished.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return [...closed].sort();
}

/** The program, `serve` and its threads, and what `serve` loads later with default settings. */
const SERVE = [
  'bin/start.ts',
  'bin/skillgate.ts',
  'src/cli/commands/serve.ts',
  'src/catalog/indexing/worker.ts',
  'src/catalog/indexing/background-worker.ts',
  'src/gateway/load-skill.ts',
  'src/gateway/read-reference.ts',
  'src/skills/media-types.ts',
  'src/base/files/lock.ts',
  'src/app/run-catalog.ts',
  'src/skills/parse.ts',
  'src/skills/served.ts',
];
/** The build replaces the schema's defaults by their values. */
const COMPUTED = 'src/app/config/defaults.ts';

/** Files whose code the default `serve` over stdin runs, and their lines. */
export function servedByDefault(imports: readonly Import[]): { files: string[]; lines: number } {
  const files = filesReached(imports, SERVE);
  return { files, lines: countLines(files) };
}

/** Files that are loaded before `serve` answers `initialize`. */
export const loadedAtStart = (imports: readonly Import[]): string[] =>
  filesReached(imports, ['bin/skillgate.ts', 'src/cli/commands/serve.ts']);

function filesReached(imports: readonly Import[], start: readonly string[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to, isLazy, isType } of imports)
    if (!isLazy && !isType && from !== COMPUTED && /^(src|index|extensions)\//.test(to) && to.endsWith('.ts'))
      next.set(from, [...(next.get(from) ?? []), to]);
  const files = new Set(start);
  // Grows while it is walked.
  for (const file of files) for (const to of next.get(file) ?? []) files.add(to);
  return [...files].sort();
}

export const countLines = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + readSource(file).split('\n').length - 1, 0);

/** The files of the core that each extension imports, types included. */
export function coreFilesPerExtension(imports: readonly Import[]): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const name = /^extensions\/([^/]+)\//.exec(from)?.[1];
    if (name === undefined || !/^(src|index)\//.test(to)) continue;
    used.set(name, (used.get(name) ?? new Set()).add(to));
  }
  return used;
}
