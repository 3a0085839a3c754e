/** The list of skills that each host on this machine would put into a prompt: of the skills in the folders that it reads. */

import { basename } from 'node:path';
import type { ProcessEnvironment } from '../app/settings.ts';
import { readBelow, readRegularSync } from '../base/files/read.ts';
import { parseSkill } from '../skills/parse.ts';
import { localSource } from '../sources/local.ts';
import { readCatalog } from '../sources/scan/catalog.ts';
import { defaultRoots, foldersReadBy } from '../sources/scan/roots.ts';
import { readHostText, valueAt } from './edit.ts';
import { type Host, installedHosts } from './hosts.ts';
import { type ListedSkill, type ListingReport, listingOf } from './listing.ts';
import { pathAt, type System } from './locations.ts';
import { connectionOf, isListHidden } from './plan.ts';

/** Largest skill file that is read for its name, bytes. */
const MAX_BYTES = 16 * 2 ** 20;

export interface HostList {
  readonly host: Host;
  readonly report: ListingReport;
  /** Whether the list is switched off, so that the report says what it would be. */
  readonly isHidden: boolean;
  /** Whether the host has skillgate in its settings, those of the user or of the project. */
  readonly isConnected: boolean;
}

/** Of the hosts that are installed and find a skill. */
export async function hostLists(environment: ProcessEnvironment, system: System): Promise<HostList[]> {
  const installed = installedHosts(system);
  if (installed.length === 0) return [];
  const skills = await skillsOf(environment);
  const usage = claudeUsage(system);
  return installed.flatMap((host) => {
    const folders = new Set(foldersReadBy(host.id, environment));
    const own = skills.filter(({ root }) => folders.has(root));
    if (own.length === 0) return [];
    const report = listingOf(own, host.listing, host.id === 'claude-code' ? usage : undefined);
    // A file that cannot be read hides and connects nothing; doctor reports it.
    const isHidden = orFalse(() => isListHidden(host, system));
    const isConnected = (['user', 'project'] as const).some((scope) =>
      orFalse(() => connectionOf(host, scope, system) !== null),
    );
    return [{ host, report, isHidden, isConnected }];
  });
}

function orFalse(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

interface FoundSkill extends ListedSkill {
  /** The folder of skills that it was found in. */
  readonly root: string;
}

/** Names and descriptions of the skills in the folders of all hosts. */
async function skillsOf(environment: ProcessEnvironment): Promise<readonly FoundSkill[]> {
  const roots = defaultRoots(environment);
  const rootOf = new Map(roots.map(({ name, root }) => [name, root]));
  const { folders } = await readCatalog(roots.map((root) => localSource({ ...root, optional: true })));
  const skills: FoundSkill[] = [];
  for (const { source, folder, file, files } of folders)
    try {
      const bytes = await readBelow(
        folder,
        file,
        (path) => files.some((own) => own.path === path),
        MAX_BYTES,
      );
      const { name, description } = parseSkill(bytes, { path: file, folder: basename(folder) });
      skills.push({ name, description, root: rootOf.get(source) ?? '' });
    } catch {
      // skillgate validate reports it.
    }
  return skills;
}

/** How often Claude Code used each skill. Its file is read for that alone; whatever it holds, nothing fails. */
function claudeUsage(system: System): ReadonlyMap<string, number> {
  const file = pathAt('{claudeState}/.claude.json', system);
  try {
    const value = readHostText({
      file,
      format: 'json',
      text: Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8'),
    });
    const counts = Object.entries(Object(valueAt(value, ['skillUsage']))).map(
      ([name, use]) => [name, Number(valueAt(use, ['usageCount']) ?? 0)] as const,
    );
    return new Map(counts.filter(([, count]) => Number.isFinite(count)));
  } catch {
    return new Map();
  }
}
