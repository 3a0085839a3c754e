/** Finds the configuration file: the named one, else that of the project, and that of the user. */

import { existsSync, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../../sources/scan/real-path.ts';
import { projectFolders } from '../../sources/scan/roots.ts';
import { AppError } from '../app-error.ts';
import { fromHome, readConfigFile, textInside } from './files.ts';

export const CONFIG_FILES = [
  'skillgate.config.json',
  'skillgate.config.yaml',
  'skillgate.config.yml',
] as const;

export interface Directories {
  readonly cwd: string;
  readonly home: string;
}

export interface UserEnvironment {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface FoundFile {
  /** Absolute; of a project's file without links, since it is the target that counts. */
  readonly file: string;
  readonly text: string;
}

/** Throws `CONFIG_UNREADABLE` where the file is missing. */
export function namedFile(named: string, { cwd, home }: Directories): FoundFile {
  const file = resolve(cwd, fromHome(named, home));
  if (!existsSync(file))
    throw new AppError('CONFIG_UNREADABLE', `The configuration file ${file} does not exist.`);
  return { file, text: readConfigFile(file) };
}

/** The file in the user's folder of the configuration; null without one. */
export function userFile(folder: string): FoundFile | null {
  const file = fileIn(folder);
  return file === null ? null : { file, text: readConfigFile(file) };
}

/**
 * The nearest file at or above `cwd`, at most up to the home folder and to the boundary of the file system; null without
 * one. Null and a sentence for `log` where it is a link out of the project, or another user owns it or its folder: `uid` is this
 * process's user, null where the system knows none. Throws `CONFIG_UNREADABLE`.
 */
export function projectFile(
  { cwd, home }: Directories,
  log: (message: string) => void,
  uid: number | null = process.getuid?.() ?? null,
): FoundFile | null {
  const found = nearest(resolve(cwd), home);
  if (found === null) return null;
  const file = realpathSync(found);
  const isOwn = (stats: Stats) => uid === null || stats.uid === uid || stats.uid === 0;
  const refuse = (why: string): null => {
    log(`${found} is ignored, because ${why}. If you trust it: --config FILE.`);
    return null;
  };
  const project = realpathSync(projectFolders({ cwd: dirname(found), home }).at(-1) ?? dirname(found));
  if (!isInside(project, file)) return refuse('it is a link out of the project');
  if (!isOwn(lstatSync(dirname(file)))) return refuse('its folder belongs to another user');
  let isForeign = false;
  // What is read is the file that is checked here, whatever its name leads to by now.
  const text = textInside(project, file, (stats) => {
    isForeign = !isOwn(stats);
  });
  return isForeign ? refuse('it belongs to another user') : { file, text };
}

function nearest(start: string, home: string): string | null {
  const at = (folder: string) => statSync(folder, { throwIfNoEntry: false });
  const last = at(home);
  const device = at(start)?.dev;
  for (let folder = start; ; folder = dirname(folder)) {
    const here = at(folder);
    if (here?.dev !== device) return null;
    const found = fileIn(folder);
    if (found !== null) return found;
    const isHome = here !== undefined && here.dev === last?.dev && here.ino === last.ino;
    if (isHome || dirname(folder) === folder) return null;
  }
}

/** Throws `CONFIG_UNREADABLE` where the folder has several. */
function fileIn(folder: string): string | null {
  const found = CONFIG_FILES.filter((name) => existsSync(join(folder, name)));
  const [first, second] = found;
  if (second !== undefined)
    throw new AppError(
      'CONFIG_UNREADABLE',
      `${folder} holds ${found.join(' and ')}, and only one can be used: keep one of them, or name it with --config.`,
    );
  return first === undefined ? null : join(folder, first);
}

/** Whether a path of the configuration in `folder`, a real path, leads into that folder, links followed. */
export function isFolderInside(folder: string, path: string, home: string): boolean {
  let at = resolve(folder, fromHome(path, home));
  // What is not there yet counts by the folder in which it would be.
  while (lstatSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at) at = dirname(at);
  try {
    const real = realpathSync(at);
    return real === folder || real.startsWith(join(folder, '/'));
  } catch {
    return false;
  }
}

/** For CI, where no one can be asked. */
export const trustsProjects = (env: UserEnvironment['env']) =>
  /^(1|true)$/i.test(env.SKILLGATE_TRUST_PROJECT ?? '');

/** Where the user's own files are. The XDG specification ignores relative paths. */
export function userConfigFolder(
  { home, env }: UserEnvironment,
  platform: string = process.platform,
): string {
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'skillgate');
  const { XDG_CONFIG_HOME: folder = '' } = env;
  return join(isAbsolute(folder) ? folder : join(home, '.config'), 'skillgate');
}
