/** The default directories of skills, and the names of sources. Plugins of hosts are in `plugins.ts`. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readInside } from '../../base/files/read.ts';
import {
  HOST_FOLDERS,
  movedFolders,
  PROJECT_FOLDERS,
  userFolders,
  userFoldersOfAll,
} from './host-folders.ts';
import { pluginRoots } from './plugins.ts';
import { findRealPath, isInside, leadsOutside } from './real-path.ts';
import { folderName, type Links } from './walk.ts';

export interface BaseDirectories {
  /** The user's home directory, absolute. */
  readonly home: string;
  /** Where the work takes place: the project's root or a folder in it, absolute. */
  readonly cwd: string;
  /** Other projects that are open, absolute. */
  readonly others?: readonly string[];
  /** Variables of hosts move their folders (`host-folders.ts`). */
  readonly env?: Readonly<Record<string, string | undefined>>;
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
  /** What was not understood of the directory: it is reported, and not scanned. */
  readonly remark?: string;
  readonly requests?: string | undefined;
  /** True for a directory that every project of the user has: one at home, or of a plugin that is on everywhere. */
  readonly ofUser?: boolean;
}

/** Folders between the project's root and a deep working directory that are looked at. */
const MAX_LEVELS = 12;

/** The directories that hosts read, absolute: from the working directory up to the project's root, then those at home. */
export const hostRoots = (bases: BaseDirectories): string[] => [
  ...allProjectFolders(bases).flatMap((folder) => PROJECT_FOLDERS.map((own) => join(folder, own))),
  ...homeRoots(bases),
];

const homeRoots = ({ home, env }: BaseDirectories) => userFoldersOfAll(resolve(home), env);

/** The directories that one host reads, those of plugins among them; none for a host that reads no folder. */
export function foldersReadBy(host: string, bases: BaseDirectories): string[] {
  const folders = HOST_FOLDERS[host];
  if (folders === undefined) return [];
  const home = resolve(bases.home);
  const project = allProjectFolders(bases);
  return [
    ...project.flatMap((folder) => folders.project.map((path) => join(folder, path))),
    ...userFolders(folders, home, bases.env),
    ...(host === 'claude-code' ? pluginFolders(movedFolders(home, bases.env).claude, project) : []),
  ];
}

const pluginFolders = (claude: string, project: readonly string[]): string[] =>
  pluginRoots(claude, project).flatMap(({ root, remark }) => (remark === undefined ? [root] : []));

/** The directories that are there in parts of the projects below their roots: those of a monorepo. */
const partRoots = (bases: BaseDirectories): string[] =>
  listProjects(bases).flatMap((folders) => {
    const root = folders.at(-1);
    if (root === undefined || !existsSync(join(root, '.git')) || isInside(root, resolve(bases.home)))
      return [];
    const parts = partsWithSkills(root).filter((part) => !folders.includes(part));
    return parts.flatMap((part) => PROJECT_FOLDERS.map((own) => join(part, own)).filter(existsSync));
  });

/**
 * The working directory and the folders above it, up to the project's root: the nearest folder with `.git`, else the highest
 * one with a folder of skills. Home and the folders above it are no project, and neither is a folder of another owner.
 */
export function projectFolders({ home, cwd }: BaseDirectories): string[] {
  const start = resolve(cwd);
  const owner = folderOwner(start);
  const folders: string[] = [];
  let last = 0;
  for (let folder = start; folders.length < MAX_LEVELS; folder = dirname(folder)) {
    if (folder !== start && (isInside(folder, resolve(home)) || folderOwner(folder) !== owner)) break;
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (PROJECT_FOLDERS.some((own) => existsSync(join(folder, own)))) last = folders.length - 1;
    if (dirname(folder) === folder) break;
  }
  return folders.slice(0, last + 1);
}

const listProjects = ({ home, cwd, others = [] }: BaseDirectories) =>
  [cwd, ...others].map((project) => projectFolders({ home, cwd: project }));

const allProjectFolders = (bases: BaseDirectories) => listProjects(bases).flat();

/** The root of the project that the path is in; undefined for home, which is no project. */
export const projectWith = (path: string, bases: BaseDirectories): string | undefined =>
  listProjects(bases)
    .flatMap((folders) => folders.at(-1) ?? [])
    .find((project) => project !== resolve(bases.home) && isInside(project, path));

const folderOwner = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.uid;

/** The project's and home's directories, existing or not; then those of installed plugins, in order of path. */
export function defaultRoots(bases: BaseDirectories): NamedRoot[] {
  const hosts = hostRoots(bases);
  const atHome = new Set(homeRoots(bases));
  const findProject = (root: string) => (atHome.has(root) ? undefined : projectWith(root, bases));
  const parts = partRoots(bases);
  const { claude } = movedFolders(resolve(bases.home), bases.env);
  const plugins = pluginRoots(claude, allProjectFolders(bases));
  const found = [
    ...hosts,
    ...parts,
    ...plugins.flatMap(({ root, remark }) => (remark === undefined ? [root] : [])),
  ];
  // One that leads out of its project is not read. Where it leads to a directory of the user, that one is listed.
  const own = new Set(found.filter((root) => atHome.has(root)).map(findRealPath));
  const listed = found.filter((root) => {
    const within = findProject(root);
    return within === undefined || !leadsOutside(within, root) || !own.has(findRealPath(root));
  });
  const ofUser = new Set([
    ...hosts.filter((root) => findProject(root) === undefined),
    ...pluginFolders(claude, []),
  ]);
  const roots = nameRoots(listed, bases).map((named) => ({
    ...named,
    ...((hosts.includes(named.root) || parts.includes(named.root)) && {
      optional: true,
      within: findProject(named.root),
    }),
    ...(ofUser.has(named.root) && { ofUser: true }),
  }));
  const remarks = plugins.flatMap(({ root, remark }) =>
    remark === undefined
      ? []
      : [{ name: `plugin-${rootName(join(root, 'skills'), bases, root)}`, root, remark }],
  );
  return [...roots, ...remarks.filter(({ name }) => !roots.some((other) => other.name === name))];
}

/**
 * Gives each directory a unique name. A directory given twice, even through a link, is listed once. `.claude/skills` is
 * `claude` in a project, `claude-part` in the folder `part` of a project, and `claude-home` at home; any other is named after
 * its folder, or after the parent if the folder is just `skills`.
 */
export function nameRoots(roots: readonly string[], bases: BaseDirectories): NamedRoot[] {
  const taken = new Set<string>();
  const project = projectFolders(bases).at(-1) ?? bases.cwd;
  return withoutRepeats(roots.map((root) => resolve(bases.cwd, root))).map((root) => {
    const wanted = rootName(root, bases, project);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
    taken.add(name);
    return { name, root };
  });
}

/** `project`: its root. */
function rootName(root: string, { home, cwd }: BaseDirectories, project: string): string {
  const own = basename(root);
  const parent = dirname(root);
  if (own !== 'skills' && own !== 'skill') return slug(folderName(root)) || 'skills';
  const isConfigured = dirname(parent) === resolve(home, '.config');
  const host = isConfigured ? basename(parent) : /^\.([a-z0-9-]+)$/i.exec(basename(parent))?.[1];
  if (host !== undefined) {
    const at = dirname(parent);
    const atHome = isConfigured || (at === resolve(home) && resolve(home) !== resolve(cwd));
    const part = at !== project && isInside(project, at) ? slug(basename(at)) : '';
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
    const real = findRealPath(root) ?? resolve(root);
    return seen.has(real) ? false : seen.add(real);
  });
}

/** Levels below the root, and folders that are read: a tenth of a second on a slow machine. */
const DEPTH = 4;
const MAX_FOLDERS = 2_000;
/** Where dependencies and products are, also without a `.gitignore`. */
const NEVER = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', 'out', 'venv', '__pycache__']);
/** Bytes of one `.gitignore`, and of all of a project; what is longer ignores nothing. */
const MAX_IGNORE_BYTES = 65_536;
const MAX_ALL_IGNORE_BYTES = 2_097_152;

/** Absolute paths of the parts that have a folder of skills, the nearest to the root first; without the root itself. */
function partsWithSkills(root: string): string[] {
  const found: string[] = [];
  // The names that each folder and those above it ignore: lists, because copies of long ones would take minutes.
  let level: { folder: string; ignored: readonly ReadonlySet<string>[] }[] = [
    { folder: root, ignored: [NEVER] },
  ];
  let left = MAX_FOLDERS;
  let bytesLeft = MAX_ALL_IGNORE_BYTES;
  for (let depth = 0; depth <= DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { folder, ignored } of level) {
      left -= 1;
      if (left < 0) return found;
      if (folder !== root && hasSkills(folder)) found.push(folder);
      const text = ignoreText(root, folder, Math.min(MAX_IGNORE_BYTES, bytesLeft));
      bytesLeft -= text.length;
      const here = text === '' ? ignored : [...ignored, namesIn(text)];
      for (const name of foldersIn(folder))
        if (!name.startsWith('.') && !here.some((set) => set.has(name)))
          next.push({ folder: join(folder, name), ignored: here });
    }
    level = next;
  }
  return found;
}

/** Whether a host reads a folder in it. Most folders hold no name that begins with a dot: one call tells. */
function hasSkills(folder: string): boolean {
  try {
    const names = new Set(readdirSync(folder).filter((name) => name.startsWith('.')));
    return (
      names.size > 0 &&
      PROJECT_FOLDERS.some(
        (own) => names.has(own.slice(0, own.indexOf('/'))) && existsSync(join(folder, own)),
      )
    );
  } catch {
    return false;
  }
}

/** In order of name; links are not followed. A folder with `.git` is another project. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !existsSync(join(folder, entry.name, '.git')))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** '' for a file that is missing, too long or no file of the project. */
function ignoreText(root: string, folder: string, maxBytes: number): string {
  try {
    return Buffer.from(readInside(root, join(folder, '.gitignore'), { maxBytes })).toString('utf8');
  } catch {
    return '';
  }
}

/** `name`, `/name`, `name/` and `any depth` of a `.gitignore`. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(
    text.split(/\r?\n/).flatMap((line) => /^(?:\*\*\/|\/)?([^/*?[\]!#\s]+)\/?\s*$/.exec(line)?.[1] ?? []),
  );
