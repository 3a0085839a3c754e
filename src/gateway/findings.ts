/**
 * What a scan found suspicious in the texts that a gateway delivers. The rules are in `skills/suspicion.ts`; the catalog
 * knows the marks of indexed files, and a text that is read now is scanned again, because files change and the index holds
 * no scripts. Where the warning goes in an answer is each surface's decision.
 */

import { findSuspicions, type Mark, withoutColumn } from '../skills/suspicion.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { LoadedSkill, ReadResult, TextSlice } from './gateway.ts';

/** Characters of one delivered text that are scanned: more than the largest slice, and a few ms of work. */
export const SCANNED_CHARACTERS = 262_144;
/** Marks of a delivered text; `firstLine` is the line of the file that it begins with. */
export function marksOfText(text: string, path: string, firstLine = 1): Mark[] {
  return findSuspicions(text.slice(0, SCANNED_CHARACTERS), path).map((mark) => ({
    ...withoutColumn(mark),
    line: mark.line + firstLine - 1,
  }));
}

const marksOfSlice = ({ text, lines: [from] }: TextSlice, path: string) => marksOfText(text, path, from);

/** The marks of both, each once: a rule, a file and a line. */
export function joinMarks(known: readonly Mark[], found: readonly Mark[]): Mark[] {
  const all = [...known, ...found].map((mark) => [`${mark.id} ${mark.path}:${mark.line}`, mark] as const);
  return [...new Map(all).values()];
}

/** The skill with the marks of its instructions as they are now. */
export function withMarks<Loaded extends Pick<LoadedSkill, 'entry' | 'instructions'>>(
  loaded: Loaded,
): Loaded {
  const { entry, instructions } = loaded;
  const marks = joinMarks(entry.marks ?? [], marksOfSlice(instructions, entry.file));
  return marks.length === 0 ? loaded : { ...loaded, entry: { ...entry, marks } };
}

/** The text of a file with its marks. An image has none. */
export function withFileMarks(read: ReadResult, { marks = [] }: CatalogEntry): ReadResult {
  if (read.kind === 'image') return read;
  const known = marks.filter(({ path }) => path === read.path);
  const found = joinMarks(known, marksOfSlice(read.slice, read.path));
  return found.length === 0 ? read : { ...read, marks: found };
}
