/** The default directories of skills, and the names of sources. */

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPathOf } from './real-path.ts';
import type { Links } from './walk.ts';

export interface BaseDirectories {
  /** The user's home directory, absolute. */
  readonly home: string;
  /** The project, absolute. */
  readonly cwd: string;
}

export interface NamedRoot {
  /** `[a-z0-9-]+`, unique in its list. */
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** True if it is no error that the directory is missing. */
  readonly optional?: boolean;
  /** Which symbolic links are followed; default `follow`. */
  readonly links?: Links;
}

/** Directories that hosts read skills from, in a project and at home. */
const HOST_ROOTS = ['.claude/skills', '.agents/skills'];
/** Levels below `.claude/plugins`: `cache/<marketplace>/<plugin>/<version>/skills` is five down. */
const PLUGIN_DEPTH = 6;

/** The directories that hosts read, absolute: those of the project, then those at home. */
export const hostRoots = ({ home, cwd }: BaseDirectories): string[] =>
  [cwd, home].flatMap((base) => HOST_ROOTS.map((root) => resolve(base, root)));

/** The project's and home's directories, existing or not; then those of installed plugins, in order of path. */
export function defaultRoots(bases: BaseDirectories): NamedRoot[] {
  const hosts = hostRoots(bases);
  const plugins = join(bases.home, '.claude', 'plugins');
  // A marketplace's clone also has plugins that are not installed; the cache has only installed ones.
  const installed = join(plugins, 'cache');
  const found = [...hosts, ...skillsBelow(isDirectory(installed) ? installed : plugins, 0)];
  return nameRoots(found, bases).map((named) =>
    hosts.includes(named.root) ? { ...named, optional: true } : named,
  );
}

/**
 * Gives each directory a unique name. A directory given twice, even through a link, is listed once. `.claude/skills` is
 * `claude` in a project and `claude-home` at home; any other is named after its folder, or after the parent if the
 * folder is just `skills`.
 */
export function nameRoots(roots: readonly string[], bases: BaseDirectories): NamedRoot[] {
  const taken = new Set<string>();
  return withoutRepeats(roots.map((root) => resolve(bases.cwd, root))).map((root) => {
    const wanted = nameOf(root, bases);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
    taken.add(name);
    return { name, root };
  });
}

function nameOf(root: string, { home, cwd }: BaseDirectories): string {
  const own = basename(root);
  const parent = dirname(root);
  if (own !== 'skills') return slug(own) || 'skills';
  const host = /^\.([a-z0-9-]+)$/i.exec(basename(parent))?.[1];
  if (host !== undefined) {
    const atHome = dirname(parent) === resolve(home) && resolve(home) !== resolve(cwd);
    return slug(host) + (atHome ? '-home' : '');
  }
  // A plugin's folder may be named after its version: then the name is one level above.
  const isVersion = /^v?\d|^[0-9a-f]{7,40}$/.test(basename(parent));
  return slug(basename(isVersion ? dirname(parent) : parent)) || 'skills';
}

/** The text in the alphabet `[a-z0-9-]`; may be empty. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function skillsBelow(directory: string, depth: number): string[] {
  if (depth > PLUGIN_DEPTH) return [];
  let names: string[];
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
  return names
    .filter((name) => name !== 'node_modules' && name !== '.git')
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      return name === 'skills' ? [path] : skillsBelow(path, depth + 1);
    });
}

function withoutRepeats(roots: readonly string[]): string[] {
  const seen = new Set<string>();
  return roots.filter((root) => {
    const real = realPathOf(root) ?? resolve(root);
    return seen.has(real) ? false : seen.add(real);
  });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
