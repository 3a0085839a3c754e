/** Which hosts are installed on this machine. */

import { existsSync, lstatSync, readdirSync } from 'node:fs';
import type { Host } from './host.ts';
import { HOSTS } from './hosts.ts';
import { pathAt, platformPaths, type Scope, type System } from './locations.ts';
import { backupFile, isMadeByConnect } from './plan.ts';

/** Folders below a sign that are looked through: those that `connect` makes are at most three. */
const MAX_DEPTH = 3;

/** A host is installed if a program of its name is in PATH, or it left a file of its own. */
export const installedHosts = (system: System): readonly Host[] =>
  HOSTS.filter((host) => isInPath(host, system) || hasOwnFiles(host, system));

function isInPath({ programs = [] }: Host, system: System): boolean {
  const { platform, env } = system;
  const { join, delimiter } = platformPaths(system);
  const suffixes = platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) =>
    programs.some((program) => suffixes.some((suffix) => existsSync(join(folder, program + suffix)))),
  );
}

function hasOwnFiles(host: Host, system: System): boolean {
  const { join } = platformPaths(system);
  const places = [host.files, host.hide?.files, allowFiles(host.allow), host.hook?.files];
  const written = new Set(
    (['user', 'project'] satisfies Scope[])
      .flatMap((scope) => places.flatMap((files) => files?.[scope] ?? []))
      .map((location) => pathAt(location, system)),
  );
  const isOwn = (path: string) =>
    !path.endsWith(backupFile('')) && !(written.has(path) && isMadeByConnect(path, system));
  const holdsOwn = (path: string, depth: number): boolean => {
    const kind = lstatSync(path, { throwIfNoEntry: false });
    if (kind?.isDirectory() !== true) return kind !== undefined && isOwn(path);
    if (depth > MAX_DEPTH) return true;
    return namesIn(path).some((name) => name !== 'skills' && holdsOwn(join(path, name), depth + 1));
  };
  return host.signs.some((sign) => holdsOwn(pathAt(sign, system), 0));
}

const allowFiles = (allow: Host['allow']) =>
  allow !== undefined && 'files' in allow ? allow.files : undefined;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
