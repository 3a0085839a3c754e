/** Where paths lead, links followed. */

import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** The path without links; null if it does not exist or cannot be read. */
export function findRealPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** True if nothing is at the path. A broken link is something. */
export function isNothing(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch {
    return true;
  }
}

/** Links followed. */
export const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Whether a path is that of the folder or below it; of both only the names count. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** Whether a path, links followed, leads out of a folder, which may be a link itself. False where nothing is there. */
export function leadsOutside(folder: string, path: string): boolean {
  const real = findRealPath(path);
  return real !== null && !isInside(findRealPath(folder) ?? folder, real);
}

/** Whether the directory is a skill. */
export function holdsSkill(absolute: string): boolean {
  try {
    return readdirSync(absolute).some((name) => name.toLowerCase() === 'skill.md');
  } catch {
    return false;
  }
}
