/** Skills that conform to the specification, as whole sets of files: what the Skills extension serves. */

import type { Reader } from '#index';
import type { CatalogEntry } from '../catalog/public.ts';
import type { LibraryView } from '../library/public.ts';
import { entryAt } from '../search/public.ts';
import type { SkillOnDisk } from './gateway.ts';
import { filesOf, readSkillFile } from './skill-files.ts';

type FileLister = Pick<LibraryView, 'filesOf'>;

/** Most path levels of a URI: more than any catalog has, and few enough that a hostile URI costs little. */
const MAX_LEVELS = 64;

/** The first `limit` conforming skills of `ordinals`, and whether there are more. */
export async function publishable(
  library: FileLister,
  reader: Reader,
  ordinals: Uint32Array,
  limit: number,
): Promise<{ skills: SkillOnDisk[]; more: boolean }> {
  const entries: CatalogEntry[] = [];
  for (const ordinal of ordinals) {
    const entry = entryAt(reader, ordinal);
    if (entry.strict) entries.push(entry);
    // One more than the limit shows whether there is a next page.
    if (entries.length > limit) break;
  }
  return {
    skills: await Promise.all(entries.slice(0, limit).map((entry) => onDisk(library, entry))),
    more: entries.length > limit,
  };
}

export async function publishableAt(
  library: FileLister,
  reader: Reader,
  uri: string,
): Promise<SkillOnDisk | undefined> {
  const parts = uri.split('/');
  if (!uri.startsWith('skill://') || parts.length > MAX_LEVELS) return undefined;
  for (; parts.length > 3; parts.pop()) {
    const skillUri = [...parts, 'SKILL.md'].join('/');
    const entries = reader.resolve(skillUri).map((ordinal) => entryAt(reader, ordinal));
    const found = entries.find((entry) => entry.uri === skillUri && entry.strict);
    if (found !== undefined) return onDisk(library, found);
  }
  return undefined;
}

async function onDisk(library: FileLister, entry: CatalogEntry): Promise<SkillOnDisk> {
  const files = await filesOf(library, entry);
  return {
    entry,
    files,
    async bytes(path) {
      const bytes = await readSkillFile(entry, path, files);
      if (bytes === null) throw new Error(`${path} does not exist or cannot be read.`);
      return bytes;
    },
  };
}
