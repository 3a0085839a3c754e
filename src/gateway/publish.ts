/** Skills as whole sets of files, by position and by URI: what the Skills extension serves. */

import type { Reader } from '../../index/reader/reader.ts';
import type { LibraryView } from '../catalog/library.ts';
import type { Precedence } from '../search/copies.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { SkillOnDisk } from './gateway.ts';
import { encodeCursor } from './page-cursor.ts';
import { namedInUri } from './resolve.ts';
import { filesOf, readSkillFile } from './skill-files.ts';

type FileLister = Pick<LibraryView, 'filesOf'>;

/** Most path levels of a URI: more than any catalog has, and few enough that a hostile URI costs little. */
const MAX_LEVELS = 64;
/** The list that the cursors belong to. */
export const LIST = 'publishable';

/** The skills of these ordinals. */
export const publishable = (
  library: FileLister,
  reader: Reader,
  ordinals: Uint32Array,
): Promise<SkillOnDisk[]> =>
  Promise.all(Array.from(ordinals, (ordinal) => onDisk(library, entryAt(reader, ordinal))));

/** The skill below whose root the URI lies; the deepest of several, else the only one with the name of the URI's authority. */
export async function publishableAt(
  library: FileLister,
  reader: Reader,
  uri: string,
  precedence?: Precedence,
): Promise<SkillOnDisk | undefined> {
  const parts = uri.split('/');
  if (!uri.startsWith('skill://') || parts.length > MAX_LEVELS) return undefined;
  for (; parts.length > 3; parts.pop()) {
    const skillUri = [...parts, 'SKILL.md'].join('/');
    const entries = reader.resolve(skillUri).map((ordinal) => entryAt(reader, ordinal));
    const found = entries.find((entry) => entry.uri === skillUri);
    if (found !== undefined) return onDisk(library, found);
  }
  const named = namedInUri(reader, uri, precedence);
  const root = parts.join('/');
  // The last segment of a skill's URI is its name, so another name than the published one is none.
  return named?.uri.endsWith(`${root.slice('skill:/'.length)}/SKILL.md`)
    ? onDisk(library, named, root)
    : undefined;
}

async function onDisk(
  library: FileLister,
  entry: CatalogEntry,
  root = entry.uri.replace(/\/[^/]*$/, ''),
): Promise<SkillOnDisk> {
  const files = await filesOf(library, entry);
  return {
    entry,
    root,
    cursor: encodeCursor(entry.id, LIST),
    files,
    async bytes(path) {
      const bytes = await readSkillFile(entry, path, files);
      if (bytes === null) throw new Error(`${path} does not exist or cannot be read.`);
      return bytes;
    },
  };
}
