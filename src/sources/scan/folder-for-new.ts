/** Where a new skill of a project belongs: next to its other skills, else where the hosts in use look. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { PROJECT_FOLDERS, userFoldersOfAll } from './host-folders.ts';
import { holdsSkill, isInside, leadsOutOf } from './real-path.ts';
import { type BaseDirectories, projectFolders } from './roots.ts';

interface FolderForNew {
  /** Absolute; it may not exist yet. */
  readonly folder: string;
  /** Why this one, as the end of a sentence: `next to 12 skills of this project`. */
  readonly why: string;
}

/** What most hosts read. */
const DEFAULT = '.claude/skills';
/** Folders that projects have without the host. */
const NOT_OF_HOST = new Set(['.github']);

/** `roots`: the absolute folders of skills that skillgate reads, existing or not. */
export function folderForNew(roots: readonly string[], bases: BaseDirectories): FolderForNew {
  const folders = projectFolders(bases);
  const project = folders.at(-1)!;
  // A link out of the project leads to skills of somebody else.
  const own = roots.filter((root) => isInside(project, root) && !leadsOutOf(project, root));
  for (const folder of folders) {
    const [most] = own
      .filter((root) => isInside(folder, root))
      .map((root) => ({ root, skills: skillsIn(root) }))
      .sort((a, b) => b.skills - a.skills);
    if (most !== undefined && most.skills > 0)
      return {
        folder: most.root,
        why: `next to ${most.skills} skill${most.skills === 1 ? '' : 's'} of this project`,
      };
  }
  const empty = own.find((root) => existsSync(root));
  if (empty !== undefined) return { folder: empty, why: 'the folder of skills that this project has' };
  const ofHost = own.find(
    (root) =>
      !NOT_OF_HOST.has(basename(dirname(root))) && dirname(root) !== project && existsSync(dirname(root)),
  );
  if (ofHost !== undefined)
    return { folder: ofHost, why: `this project has a folder ${relative(project, dirname(ofHost))}` };
  const [atHome] = userFoldersOfAll(bases.home, bases.env)
    .map((root) => ({ root, skills: skillsIn(root), own: likeInProject(root) }))
    .filter(({ skills, own: path }) => skills > 0 && path !== null && own.includes(join(project, path)))
    .sort((a, b) => b.skills - a.skills);
  if (atHome !== undefined)
    return { folder: join(project, atHome.own!), why: `the host of your skills in ${atHome.root} reads it` };
  const usual = join(project, DEFAULT);
  return own.length === 0 || own.includes(usual)
    ? { folder: usual, why: 'there are no other skills yet, and most hosts read it' }
    : { folder: own[0]!, why: 'a source of the configuration' };
}

/** Skills in a folder and in the folders below it, one level. */
function skillsIn(root: string): number {
  const below = (folder: string) => {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      return [];
    }
  };
  const count = (folders: readonly string[]) => folders.filter(holdsSkill).length;
  const first = below(root);
  return count(first) + first.reduce((sum, folder) => sum + count(below(folder)), 0);
}

/** `~/.codex/skills` → `.codex/skills`, `~/.config/opencode/skills` → `.opencode/skills`; null where no project has such a folder. */
function likeInProject(root: string): string | null {
  const wanted = `.${basename(dirname(root)).replace(/^\./, '')}/skills`;
  return PROJECT_FOLDERS.find((path) => path === wanted) ?? null;
}
