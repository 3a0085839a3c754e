/**
 * When the folders of an index were last checked as a whole, kept next to the index. A command that answers once need not
 * look at tens of thousands of folders again for that: it checks those of the skills in its answer.
 */

import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Directory, readJson, writeJsonIfPossible } from '../../index/directory/directory.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Source } from '../sources/source.ts';

const FILE = 'last-check.json';
/** A file system's clock may lag behind the process's, and its times may be whole seconds. */
const CLOCK_MS = 1_000;

export interface LastCheck {
  /** Identity of the generation that then held what the folders hold. */
  readonly generation: string;
  /** Names the folders and how they are read: a check of others says nothing of these. */
  readonly key: string;
  /** Its beginning, ms since 1970. */
  readonly at: number;
}

/** Null where there is none, or it cannot be read. */
export function readLastCheck(directory: Directory): LastCheck | null {
  const json = readJson(directory, FILE);
  return isLastCheck(json) ? json : null;
}

export const writeLastCheck = (directory: Directory, check: LastCheck): void =>
  writeJsonIfPossible(directory, FILE, check);

function isLastCheck(json: unknown): json is LastCheck {
  if (json === null || typeof json !== 'object') return false;
  return (
    'generation' in json &&
    typeof json.generation === 'string' &&
    'key' in json &&
    typeof json.key === 'string' &&
    'at' in json &&
    typeof json.at === 'number'
  );
}

/** Whether the directory of a source is there as it was at that time: nothing was added to it, or taken out. */
export const isUnchanged = ({ partial }: Source, at: number): boolean =>
  partial !== undefined && !changed(partial.root, at);

/** Whether a skill has the files that it had at that time, unchanged. The time of a change of status cannot be set back. */
export async function isSkillUnchanged(
  source: Pick<Source, 'filesOf'>,
  { folder }: Pick<CatalogEntry, 'folder'>,
  at: number,
): Promise<boolean> {
  const listed = (await source.filesOf(folder)).filter(
    ({ bytes, standIn }) => bytes === undefined || standIn,
  );
  const files = listed.map(({ path }) => join(folder, path));
  const directories = new Set(files.map((file) => dirname(file)));
  return files.length > 0 && ![folder, ...directories, ...files].some((path) => changed(path, at));
}

function changed(path: string, at: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.ctimeMs > at - CLOCK_MS;
}
