/** What has to be looked at, decided from names and stamps alone: no file is opened for it. */

import type { SkillFolder } from '../catalog/entry.ts';
import type { Stamp } from './stamps.ts';

export interface Plan {
  /** Folders to read and hash, in order of id: new ones, and those whose stamp changed. */
  readonly check: readonly SkillFolder[];
  /** Ids that are as they were when last looked at, those without anything to index among them. */
  readonly unchanged: readonly string[];
}

/**
 * `known` maps every id of the index to its digest. A stamp only counts where the index really holds what it
 * vouches for, so an index rebuilt from nothing checks everything.
 */
export function plan(
  folders: readonly SkillFolder[],
  known: ReadonlyMap<string, string>,
  stamps: ReadonlyMap<string, Stamp>,
): Plan {
  const check: SkillFolder[] = [];
  const unchanged: string[] = [];
  for (const folder of folders) {
    const stamp = stamps.get(folder.id);
    const vouched = stamp?.stamp === folder.stamp && stamp.digest === (known.get(folder.id) ?? null);
    if (vouched) unchanged.push(folder.id);
    else check.push(folder);
  }
  return { check, unchanged };
}
