/** Checks requests that are kept already as `requests add` checks new ones: `validate` reports what has become wrong with them. */

import { AppError } from '../../src/app/app-error.ts';
import type { CatalogEntry, SkillFolder } from '../../src/app/extension-api.ts';
import { keptKey } from '../../src/sources/kept-requests.ts';
import { checkLines } from './check.ts';
import { KeptFile } from './kept-file.ts';

export interface ReadSkill {
  readonly folder: Pick<SkillFolder, 'id' | 'source' | 'file'>;
  /** Null where it cannot be read. */
  readonly skill: Pick<CatalogEntry, 'name' | 'description'> | null;
  /** Of its author. */
  readonly requests: readonly string[];
}

/** `skills`: all of these sources. Lines of other sources are not checked, and broken ones are reported with the catalog. */
export function checkKept(
  sources: readonly { readonly name: string; readonly requests?: string | undefined }[],
  skills: readonly ReadSkill[],
): { readonly path: string; readonly line: number; readonly reason: string }[] {
  const names = new Set(sources.map(({ name }) => name));
  const unread = new Set(skills.flatMap(({ folder, skill }) => (skill === null ? keptKey(folder) : [])));
  const rows = skills.flatMap(({ folder, skill, requests }) =>
    skill === null ? [] : { key: keptKey(folder), entry: { ...folder, ...skill }, requests },
  );
  const isChecked = (key: string) => names.has(key.slice(0, key.indexOf(':'))) && !unread.has(key);
  return [...new Set(sources.flatMap(({ requests }) => requests ?? []))].flatMap((path) => {
    const lines = readLines(path).map(({ text, kept }) =>
      kept !== null && isChecked(kept.skill) ? text : '',
    );
    const { refused, notes } = checkLines(lines.join('\n'), rows);
    return [...refused, ...notes].sort((a, b) => a.line - b.line).map((remark) => ({ ...remark, path }));
  });
}

/** None where the file cannot be read: that is reported with the catalog. */
function readLines(path: string): ReturnType<KeptFile['lines']> {
  try {
    return new KeptFile(path).lines();
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
