/**
 * Which skills there are: the folders of all sources as one immutable snapshot, with unique ids. `src/search/passages` reads
 * the files later, and only if a stamp changed.
 */

import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { diagnose } from '../../skills/diagnostics.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import type { SkillFolder, Source } from '../source.ts';

export interface CatalogSnapshot {
  /** In code-unit order of id. Ids are unique. */
  readonly folders: readonly SkillFolder[];
  readonly diagnostics: readonly Diagnostic[];
  /** Hex SHA-256 over ids and stamps: equal if nothing was added, removed or changed. */
  readonly digest: string;
}

/**
 * A folder that several sources contain counts once, for the first source. An id that two sources share is qualified
 * as `<source>:<id>`; with `qualifyIds` every id is. Rejects only with the signal's reason.
 */
export async function readCatalog(
  sources: readonly Source[],
  signal?: AbortSignal,
  qualifyIds = false,
): Promise<CatalogSnapshot> {
  const diagnostics: Diagnostic[] = [];
  const byFolder = new Map<string, SkillFolder>();
  for (const source of sources) {
    const scan = await source.scan(signal);
    // Not push(...all): a call cannot take hundreds of thousands of arguments.
    for (const diagnostic of scan.diagnostics) diagnostics.push(diagnostic);
    let repeated = 0;
    for (const folder of scan.folders) {
      if (byFolder.has(folder.folder)) repeated += 1;
      else byFolder.set(folder.folder, folder);
    }
    if (repeated > 0) {
      const message = `${repeated} skills of ${source.name} are in the directory of an earlier source, and count once.`;
      diagnostics.push(diagnose('source-repeated', '.', message, { fix: 'Give each directory once.' }));
    }
  }
  const all = qualified([...byFolder.values()], diagnostics, qualifyIds).sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const { folders, diagnostics: ofRequests } = await joinKept(all, sources);
  diagnostics.push(...ofRequests);
  const stamps = folders.map(({ id, stamp }) => `${id}\0${stamp}\0`);
  return { folders, diagnostics, digest: hash('sha256', stamps.join('')) };
}

/** With the requests that are kept for these skills; their reader is loaded where there is a file of them. */
export async function joinKept(
  folders: readonly SkillFolder[],
  sources: readonly Source[],
): Promise<Pick<CatalogSnapshot, 'folders' | 'diagnostics'>> {
  const isKept = sources.some(({ requests }) => requests !== undefined && existsSync(requests));
  if (!isKept) return { folders, diagnostics: [] };
  return (await import('../kept-requests.ts')).joinRequests(folders, sources);
}

function qualified(folders: readonly SkillFolder[], diagnostics: Diagnostic[], all: boolean): SkillFolder[] {
  const sharing = new Map<string, number>();
  for (const { id } of folders) sharing.set(id, (sharing.get(id) ?? 0) + 1);
  for (const [id, count] of sharing) {
    if (count === 1) continue;
    const message = `${count} sources hold a skill ${id}; each id is prefixed with its source’s name.`;
    diagnostics.push(diagnose('id-collision', id, message));
  }
  if (!all && sharing.size === folders.length) return [...folders];
  return folders.map((folder) => {
    const shared = all || (sharing.get(folder.id) ?? 0) > 1;
    return shared ? { ...folder, id: `${folder.source}:${folder.id}` } : folder;
  });
}
