/**
 * Folders of skills in the parts of a project below its root: hosts load those of a part when they work on a file there. What git
 * ignores is left out, as far as plain names in `.gitignore` say.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDERS } from './host-folders.ts';

/** Levels below the root, and folders that are read: a tenth of a second on a slow machine. */
const DEPTH = 4;
const MAX_FOLDERS = 2_000;
/** Where dependencies and products are, also without a `.gitignore`. */
const NEVER = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', 'out', 'venv', '__pycache__']);

/** Absolute paths of the parts that have a folder of skills, the nearest to the root first; without the root itself. */
export function partsWithSkills(root: string): string[] {
  const found: string[] = [];
  let level = [{ folder: root, ignored: NEVER as ReadonlySet<string> }];
  let left = MAX_FOLDERS;
  for (let depth = 0; depth <= DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { folder, ignored } of level) {
      left -= 1;
      if (left < 0) return found;
      if (folder !== root && PROJECT_FOLDERS.some((own) => existsSync(join(folder, own)))) found.push(folder);
      const here = new Set([...ignored, ...ignoredIn(folder)]);
      for (const name of foldersIn(folder))
        if (!name.startsWith('.') && !here.has(name))
          next.push({ folder: join(folder, name), ignored: here });
    }
    level = next;
  }
  return found;
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

/** `name`, `/name`, `name/` and `any depth` of a `.gitignore`. */
function ignoredIn(folder: string): string[] {
  try {
    const lines = readFileSync(join(folder, '.gitignore'), 'utf8').split(/\r?\n/);
    return lines.flatMap((line) => /^(?:\*\*\/|\/)?([^/*?[\]!#\s]+)\/?\s*$/.exec(line)?.[1] ?? []);
  } catch {
    return [];
  }
}
