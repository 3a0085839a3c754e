/** The default directories of skills, and the names of sources. Plugins of hosts are in `plugins.ts`. */

import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pluginRoots } from './plugins.ts';
import { isInside, leadsOutOf, realPathOf } from './real-path.ts';
import type { Links } from './walk.ts';

export interface BaseDirectories {
  /** The user's home directory, absolute. */
  readonly home: string;
  /** Where the work takes place: the project's root or a folder in it, absolute. */
  readonly cwd: string;
  /** Other projects that are open, absolute. */
  readonly others?: readonly string[];
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
  /** Absolute: the project, where neither the directory nor a link in it may lead out of it. */
  readonly within?: string | undefined;
}

/** Folders of hosts in a project and at home; skills are in `skills` below each. */
const HOSTS = ['.claude', '.agents', '.codex', '.github', '.cursor', '.gemini', '.opencode', '.goose'];
/** Where hosts that follow the XDG specification keep the user's skills. */
const HOSTS_AT_HOME = ['.config/opencode', '.config/goose', '.copilot'];
/** Folders between the project's root and a deep working directory that are looked at. */
const MAX_LEVELS = 12;

/** The directories that hosts read, absolute: from the working directory up to the project's root, then those at home. */
export const hostRoots = (bases: BaseDirectories): string[] => [
  ...allProjectFolders(bases).flatMap((folder) => HOSTS.map((host) => join(folder, host, 'skills'))),
  ...[...HOSTS, ...HOSTS_AT_HOME].map((host) => resolve(bases.home, host, 'skills')),
];

/**
 * The working directory and the folders above it, up to the project's root: the nearest folder with `.git`, else the highest
 * one with a folder of skills. Home and the folders above it are no project, and neither is a folder of another owner.
 */
export function projectFolders({ home, cwd }: BaseDirectories): string[] {
  const start = resolve(cwd);
  const owner = ownerOf(start);
  const folders: string[] = [];
  let last = 0;
  for (let folder = start; folders.length < MAX_LEVELS; folder = dirname(folder)) {
    if (folder !== start && (isInside(folder, resolve(home)) || ownerOf(folder) !== owner)) break;
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (HOSTS.some((host) => existsSync(join(folder, host, 'skills')))) last = folders.length - 1;
    if (dirname(folder) === folder) break;
  }
  return folders.slice(0, last + 1);
}

const projectsOf = ({ home, cwd, others = [] }: BaseDirectories) =>
  [cwd, ...others].map((project) => projectFolders({ home, cwd: project }));

const allProjectFolders = (bases: BaseDirectories) => projectsOf(bases).flat();

/** The root of the project that the path is in; undefined for home, which is no project. */
export const projectWith = (path: string, bases: BaseDirectories): string | undefined =>
  projectsOf(bases)
    .flatMap((folders) => folders.at(-1) ?? [])
    .find((project) => project !== resolve(bases.home) && isInside(project, path));

const ownerOf = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.uid;

/** The project's and home's directories, existing or not; then those of installed plugins, in order of path. */
export function defaultRoots(bases: BaseDirectories): NamedRoot[] {
  const hosts = hostRoots(bases);
  const atHome = new Set(hosts.slice(-HOSTS.length - HOSTS_AT_HOME.length));
  const withinOf = (root: string) => (atHome.has(root) ? undefined : projectWith(root, bases));
  const found = [...hosts, ...pluginRoots(bases.home, allProjectFolders(bases))];
  // One that leads out of its project is not read. Where it leads to a directory of the user, that one is listed.
  const own = new Set(found.filter((root) => atHome.has(root)).map(realPathOf));
  const listed = found.filter((root) => {
    const within = withinOf(root);
    return within === undefined || !leadsOutOf(within, root) || !own.has(realPathOf(root));
  });
  return nameRoots(listed, bases).map((named) =>
    hosts.includes(named.root) ? { ...named, optional: true, within: withinOf(named.root) } : named,
  );
}

/**
 * Gives each directory a unique name. A directory given twice, even through a link, is listed once. `.claude/skills` is
 * `claude` in a project, `claude-part` in the folder `part` of a project, and `claude-home` at home; any other is named after
 * its folder, or after the parent if the folder is just `skills`.
 */
export function nameRoots(roots: readonly string[], bases: BaseDirectories): NamedRoot[] {
  const taken = new Set<string>();
  const inside = new Set(projectFolders(bases).slice(0, -1));
  return withoutRepeats(roots.map((root) => resolve(bases.cwd, root))).map((root) => {
    const wanted = nameOf(root, bases, inside);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
    taken.add(name);
    return { name, root };
  });
}

/** `inside`: folders of the project below its root. */
function nameOf(root: string, { home, cwd }: BaseDirectories, inside: ReadonlySet<string>): string {
  const own = basename(root);
  const parent = dirname(root);
  if (own !== 'skills') return slug(own) || 'skills';
  const isConfigured = dirname(parent) === resolve(home, '.config');
  const host = isConfigured ? basename(parent) : /^\.([a-z0-9-]+)$/i.exec(basename(parent))?.[1];
  if (host !== undefined) {
    const at = dirname(parent);
    const atHome = isConfigured || (at === resolve(home) && resolve(home) !== resolve(cwd));
    const part = inside.has(at) ? slug(basename(at)) : '';
    return [slug(host), ...(atHome ? ['home'] : part === '' ? [] : [part])].join('-');
  }
  // A plugin's folder may be named after its version: then the name is one level above.
  const isVersion = /^v?\d|^[0-9a-f]{7,40}$|^unknown$/.test(basename(parent));
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

function withoutRepeats(roots: readonly string[]): string[] {
  const seen = new Set<string>();
  return roots.filter((root) => {
    const real = realPathOf(root) ?? resolve(root);
    return seen.has(real) ? false : seen.add(real);
  });
}
