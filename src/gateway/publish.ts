/** Skills as whole sets of files, for those that keep the specification's rules: what the Skills extension serves. */

import type { Reader } from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';
import { localSource } from '../catalog/sources/local.ts';
import { entryAt } from '../search/search.ts';
import { containedPath } from '../skills/containment.ts';
import type { LoadedFile, SkillOnDisk } from './gateway.ts';
import { readSkillFile } from './skill-file.ts';

/** Levels of a URI that are looked at: deeper than any folder of a catalog, and than a URI made to keep us busy. */
const MAX_LEVELS = 64;

/** What the skill's folder holds now; nested skills' files are theirs. */
export async function filesOf(entry: CatalogEntry): Promise<readonly LoadedFile[]> {
  const { folders } = await localSource({ name: entry.source, root: entry.folder }).scan();
  const files = folders.find(({ folder }) => folder === entry.folder)?.files ?? [];
  // Tables that a process which only searches need not load.
  const { mimeTypeOf } = await import('../skills/media-types.ts');
  return files.map((file) => ({ ...file, mimeType: mimeTypeOf(file.path) }));
}

/** The first strict skills of `ordinals`, up to `limit` of them, and whether there are more. */
export async function publishable(
  reader: Reader,
  ordinals: Uint32Array,
  limit: number,
): Promise<{ skills: SkillOnDisk[]; more: boolean }> {
  const entries: CatalogEntry[] = [];
  for (const ordinal of ordinals) {
    const entry = entryAt(reader, ordinal);
    if (entry.strict) entries.push(entry);
    // One more than is wanted tells whether a next page has anything.
    if (entries.length > limit) break;
  }
  return {
    skills: await Promise.all(entries.slice(0, limit).map(onDisk)),
    more: entries.length > limit,
  };
}

export async function publishableAt(reader: Reader, uri: string): Promise<SkillOnDisk | undefined> {
  const parts = uri.split('/');
  if (!uri.startsWith('skill://') || parts.length > MAX_LEVELS) return undefined;
  for (; parts.length > 3; parts.pop()) {
    const skillUri = [...parts, 'SKILL.md'].join('/');
    const entries = reader.resolve(skillUri).map((ordinal) => entryAt(reader, ordinal));
    const found = entries.find((entry) => entry.uri === skillUri && entry.strict);
    if (found !== undefined) return onDisk(found);
  }
  return undefined;
}

async function onDisk(entry: CatalogEntry): Promise<SkillOnDisk> {
  return {
    entry,
    files: await filesOf(entry),
    async bytes(path) {
      const place = await containedPath(entry.folder, path);
      if (!place.ok) throw new Error(`${path}: ${place.reason}.`);
      const bytes = await readSkillFile(place.absolute);
      if (bytes === null) throw new Error(`${path} is not there, or may not be read.`);
      return bytes;
    },
  };
}
