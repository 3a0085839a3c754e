/** Where skills are looked for when nobody says where, and what the sources are called. */

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPathOf } from './real-path.ts';

export interface Places {
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
  /** A place where skills are looked for once there is one: nothing is amiss while it is missing. */
  readonly awaited?: boolean;
}

/** Directories that hosts read skills from, in a project and at home. */
const HOST_ROOTS = ['.claude/skills', '.agents/skills'];
/** Levels below `.claude/plugins`: `cache/<marketplace>/<plugin>/<version>/skills` is five down. */
const PLUGIN_DEPTH = 6;

/** Where hosts look, absolute: in the project first, then at home. */
export const hostRoots = ({ home, cwd }: Places): string[] =>
  [cwd, home].flatMap((place) => HOST_ROOTS.map((root) => resolve(place, root)));

/** The project's first, then home's, both whether they exist or not; then those of plugins, in order of path. */
export function defaultRoots(places: Places): NamedRoot[] {
  const hosts = hostRoots(places);
  const plugins = join(places.home, '.claude', 'plugins');
  // A marketplace's clone holds plugins that were never installed; the cache holds those that were.
  const installed = join(plugins, 'cache');
  const found = [...hosts, ...skillsBelow(isDirectory(installed) ? installed : plugins, 0)];
  return nameRoots(found, places).map((named) =>
    hosts.includes(named.root) ? { ...named, awaited: true } : named,
  );
}

/**
 * Gives each directory a name; one that is given twice, even through a link, is listed once. `.claude/skills` is
 * `claude` in a project and `claude-home` at home; others take the name of their folder, or of its parent where
 * that is just `skills`.
 */
export function nameRoots(roots: readonly string[], places: Places): NamedRoot[] {
  const taken = new Set<string>();
  return withoutRepeats(roots.map((root) => resolve(places.cwd, root))).map((root) => {
    const wanted = nameOf(root, places);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
    taken.add(name);
    return { name, root };
  });
}

function nameOf(root: string, { home, cwd }: Places): string {
  const own = basename(root);
  const parent = dirname(root);
  if (own !== 'skills') return slug(own) || 'skills';
  const host = /^\.([a-z0-9-]+)$/i.exec(basename(parent))?.[1];
  if (host !== undefined) {
    const atHome = dirname(parent) === resolve(home) && resolve(home) !== resolve(cwd);
    return slug(host) + (atHome ? '-home' : '');
  }
  // A plugin's folder may be its version: the name is above it.
  const isVersion = /^v?\d|^[0-9a-f]{7,40}$/.test(basename(parent));
  return slug(basename(isVersion ? dirname(parent) : parent)) || 'skills';
}

/** `[a-z0-9-]*` that reads like the text. */
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
