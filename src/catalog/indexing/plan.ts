/** Plans a run: which folders to read, decided from ids and stamps alone, without opening a file. */

import type { SkillFolder } from '../../sources/source.ts';
import type { Stamp } from './stamps.ts';

export interface Plan {
  /** Folders to read and hash, in order of id: new folders, and those whose stamp changed. */
  readonly check: readonly SkillFolder[];
  /** Ids of folders that have not changed, also of those without anything to index. */
  readonly unchanged: readonly string[];
}

/**
 * `known` maps every id of the index to its digest. A stamp counts only where the index holds the digest recorded with
 * it, so after the index has been deleted everything is read again.
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
    const isUnchanged = stamp?.stamp === folder.stamp && stamp.digest === (known.get(folder.id) ?? null);
    if (isUnchanged) unchanged.push(folder.id);
    else check.push(folder);
  }
  return { check, unchanged };
}
