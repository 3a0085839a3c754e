/** Skills as whole sets of files, by position and by URI: what the Skills extension serves. */

import type { Reader } from '../../index/reader/reader.ts';
import type { LibraryView } from '../catalog/library.ts';
import type { Precedence } from '../search/copies.ts';
import { entryAt } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { SkillOnDisk } from './gateway.ts';
import { encodeCursor } from './page-cursor.ts';
import { namedInUri } from './resolve.ts';
import { findFiles, readSkillFile } from './skill-files.ts';

type FileLister = Pick<LibraryView, 'filesOf'>;

/** Most path levels of a URI: more than any catalog has, and few enough that a hostile URI costs little. */
const MAX_LEVELS = 64;
/** Nested skills of one skill that are looked at: each has a file, and the Skills extension allows no more files. */
const MAX_NESTED = 512;
/** The list that the cursors belong to. */
export const LIST = 'publishable';

/** The skills of these ordinals. */
export const publishable = (
  library: FileLister,
  reader: Reader,
  ordinals: Uint32Array,
): Promise<SkillOnDisk[]> =>
  Promise.all(Array.from(ordinals, (ordinal) => onDisk(library, reader, entryAt(reader, ordinal))));

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
    if (found !== undefined) return nearest(await onDisk(library, reader, found), uri);
  }
  const named = namedInUri(reader, uri, precedence);
  const root = parts.join('/');
  // The last segment of a skill's URI is its name, so another name than the published one is none.
  return named?.uri.endsWith(`${root.slice('skill:/'.length)}/SKILL.md`)
    ? nearest(await onDisk(library, reader, named, root), uri)
    : undefined;
}

/** The same among the skills that are on disk and not in the index. */
export async function publishableUnindexed(
  library: Pick<LibraryView, 'filesOf' | 'unindexed'>,
  reader: Reader,
  uri: string,
): Promise<SkillOnDisk | undefined> {
  if (!uri.startsWith('skill://')) return undefined;
  const entries = (await library.unindexed?.(uri)) ?? [];
  const [deepest] = entries.toSorted((a, b) => b.uri.length - a.uri.length);
  return deepest && onDisk(library, reader, deepest);
}

/** A nested skill whose address begins with that of the outer one, not with its own. */
async function nearest(outer: SkillOnDisk, uri: string): Promise<SkillOnDisk> {
  const holding = (await outer.nested()).filter(({ root }) => `${uri}/`.startsWith(`${root}/`));
  return holding.toSorted((a, b) => b.root.length - a.root.length)[0] ?? outer;
}

async function onDisk(
  library: FileLister,
  reader: Reader,
  entry: CatalogEntry,
  root = skillRoot(entry),
): Promise<SkillOnDisk> {
  const files = await findFiles(library, entry);
  const inside = nestedIn(reader, entry).slice(0, MAX_NESTED);
  return {
    entry,
    root,
    cursor: encodeCursor(entry.id, LIST),
    files,
    nested: () =>
      Promise.all(
        inside.map((nested) => onDisk(library, reader, nested, `${root}/${pathIn(entry, nested)}`)),
      ),
    async bytes(path, which) {
      const listed = which === 'indexed' ? files.map(({ bytes: _, ...file }) => file) : files;
      const bytes = await readSkillFile(entry, path, listed);
      if (bytes === null) throw new Error(`${path} does not exist or cannot be read.`);
      return bytes;
    },
  };
}

const skillRoot = ({ uri }: Pick<CatalogEntry, 'uri'>) => uri.replace(/\/[^/]*$/, '');

/** The skills in the folder of a skill, in order of id. Ids are the paths of folders, except that of a skill at its source's root. */
function nestedIn(reader: Reader, { id, source, atRoot = false }: CatalogEntry): readonly CatalogEntry[] {
  const accepted = atRoot ? reader.accept([[`source:${source}`]]) : null;
  const ordinals = accepted
    ? reader.ordinalsByKey().filter((ordinal) => accepted[ordinal] === 1)
    : reader.keysBelow(`${id}/`).flatMap((key) => reader.ordinalOf(key) ?? []);
  return Array.from(ordinals, (ordinal) => entryAt(reader, ordinal)).filter((entry) => entry.id !== id);
}

/** Where a nested skill's own address has it below the folder of the outer one. */
function pathIn({ uri, source, atRoot = false }: CatalogEntry, nested: CatalogEntry): string {
  const folder = atRoot ? `skill://${source}` : skillRoot({ uri }).replace(/\/-\/[^/]*$/, '');
  return skillRoot(nested).slice(folder.length + 1);
}
