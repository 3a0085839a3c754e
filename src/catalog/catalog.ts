/**
 * Which skills there are: all sources' folders as one immutable snapshot, with ids that are unique across them.
 * What the folders hold is read later, by `src/passages`, and only where a stamp says that it changed.
 */

import { hash } from 'node:crypto';
import { diagnose } from '../skills/diagnostics.ts';
import type { Diagnostic } from '../skills/skill.ts';
import type { SkillFolder } from './entry.ts';
import type { Source } from './sources/source.ts';

export interface CatalogSnapshot {
  /** In code-unit order of id, which is unique. */
  readonly folders: readonly SkillFolder[];
  readonly diagnostics: readonly Diagnostic[];
  /** Hex SHA-256 over ids and stamps: equal digests mean that nothing was added, removed or touched. */
  readonly digest: string;
}

/**
 * A folder that several sources reach counts once, for the source given first. Ids are qualified by
 * `<source>:` where different folders of two sources share one, or all of them. Rejects only with the signal's reason.
 */
export async function readCatalog(
  sources: readonly Source[],
  signal?: AbortSignal,
  qualifyIds = false,
): Promise<CatalogSnapshot> {
  const diagnostics: Diagnostic[] = [];
  const byPlace = new Map<string, SkillFolder>();
  for (const source of sources) {
    const scan = await source.scan(signal);
    // One at a time: a call takes no hundred thousand arguments.
    for (const diagnostic of scan.diagnostics) diagnostics.push(diagnostic);
    let repeated = 0;
    for (const folder of scan.folders) {
      if (byPlace.has(folder.folder)) repeated += 1;
      else byPlace.set(folder.folder, folder);
    }
    if (repeated > 0) {
      const message = `${repeated} skills of ${source.name} are in a directory given before, and count once.`;
      diagnostics.push(diagnose('source-repeated', '.', message, { mend: 'Give each directory once.' }));
    }
  }
  const folders = qualified([...byPlace.values()], diagnostics, qualifyIds).sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const stamps = folders.map(({ id, stamp }) => `${id}\0${stamp}\0`);
  return { folders, diagnostics, digest: hash('sha256', stamps.join('')) };
}

function qualified(folders: readonly SkillFolder[], diagnostics: Diagnostic[], all: boolean): SkillFolder[] {
  const sharing = new Map<string, number>();
  for (const { id } of folders) sharing.set(id, (sharing.get(id) ?? 0) + 1);
  for (const [id, count] of sharing) {
    if (count === 1) continue;
    const message = `${count} sources hold a skill ${id}; each has its source’s name before its id.`;
    diagnostics.push(diagnose('id-collision', id, message));
  }
  if (!all && sharing.size === folders.length) return [...folders];
  return folders.map((folder) => {
    const shared = all || (sharing.get(folder.id) ?? 0) > 1;
    return shared ? { ...folder, id: `${folder.source}:${folder.id}` } : folder;
  });
}
