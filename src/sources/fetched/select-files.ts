/**
 * Selects the files to fetch of all that an origin offers: the files of skills, with names that are valid on every
 * system. Repositories and archives use the same rules, before any file is fetched.
 */

import type { DiagnosticId } from '../../skills/diagnostics.ts';
import { FetchError } from '../errors.ts';
import { isIgnoredDirectory } from '../scan/walk.ts';
import { foldPath, pathProblem } from './paths.ts';

/** An entry of a repository or archive. */
export interface OfferedFile {
  /** The origin's path below the source's root. */
  readonly path: string;
  readonly type: 'file' | 'link' | 'other';
  readonly executable: boolean;
  /** Bytes; null if the origin does not say before the file is fetched. */
  readonly size: number | null;
}

interface SkippedFile {
  readonly id: DiagnosticId;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

export interface FileSelection<T extends OfferedFile> {
  /** In code-unit order of path. */
  readonly taken: readonly T[];
  readonly skipped: readonly SkippedFile[];
}

/** Files of one source: ten for each of 25,000 skills. */
export const MAX_SOURCE_FILES = 250_000;

/** Throws `FETCH_INVALID` for what no honest tool makes: names that lead out of the folder, or one name twice. */
export function selectFiles<T extends OfferedFile>(offers: readonly T[]): FileSelection<T> {
  const skipped: SkippedFile[] = [];
  const sorted = [...offers].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const valid = sorted.filter((offer) => hasValidName(offer, skipped));
  const skills = skillFoldersOf(valid.flatMap(({ path, type }) => (type === 'file' ? path : [])));
  const owned = valid.filter(({ path }) => isOfSkill(path, skills));
  const plain = owned.filter((offer) => isPlainFile(offer, skipped));
  const taken = withoutCollisions(plain, skipped);
  if (taken.length > MAX_SOURCE_FILES) {
    const message = `It has ${taken.length} files in skills, and ${MAX_SOURCE_FILES} are allowed: give a sub-folder.`;
    throw new FetchError('FETCH_TOO_LARGE', message);
  }
  return { taken, skipped };
}

/** Folders with a skill file, '' for the root. */
export function skillFoldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    const slash = path.lastIndexOf('/');
    if (path.slice(slash + 1).toLowerCase() === 'skill.md') folders.add(path.slice(0, Math.max(slash, 0)));
  }
  return folders;
}

function hasValidName({ path }: OfferedFile, skipped: SkippedFile[]): boolean {
  const problem = pathProblem(path);
  if (problem === null) return true;
  const shown = JSON.stringify(path.slice(0, 200));
  if (problem.hostile) {
    const message = `It has ${shown}, whose name ${problem.reason}: the whole fetch was refused. Build it again without that file.`;
    throw new FetchError('FETCH_INVALID', message);
  }
  const message = `The file was left out: its name ${problem.reason}.`;
  skipped.push({ id: 'entry-name', path: shown.slice(1, -1), message, fix: 'Rename it at the origin.' });
  return false;
}

/** True for files that a scan would list: below a folder with a skill file, not hidden, not in an ignored folder. */
function isOfSkill(path: string, skills: ReadonlySet<string>): boolean {
  const names = path.split('/');
  const name = names.pop() ?? '';
  if (names.some(isIgnoredDirectory)) return false;
  if (name.startsWith('.')) return false;
  for (let depth = names.length; depth >= 0; depth--) {
    if (skills.has(names.slice(0, depth).join('/'))) return true;
    if (names[depth - 1]?.startsWith('.')) return false;
  }
  return false;
}

function isPlainFile({ path, type }: OfferedFile, skipped: SkippedFile[]): boolean {
  if (type === 'file') return true;
  const message =
    type === 'link'
      ? 'A link was left out: fetched skills are plain files only.'
      : 'An entry that is neither file nor folder was left out.';
  skipped.push({ id: 'entry-special', path, message, fix: 'Replace it with a copy of the file.' });
  return false;
}

/** Of names that differ only in case or normalisation, the first stays; of a file and a folder, the file. */
function withoutCollisions<T extends OfferedFile>(offers: readonly T[], skipped: SkippedFile[]): T[] {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  return offers.filter(({ path }) => {
    const fold = foldPath(path);
    const other = files.get(fold) ?? folders.get(fold);
    const above = parentsOf(path);
    const collision =
      other ?? above.map((folder) => files.get(foldPath(folder))).find((at) => at !== undefined);
    const misspelled = above.find((folder) => (folders.get(foldPath(folder)) ?? folder) !== folder);
    if (collision === path || above.includes(collision ?? '')) {
      const message = `It has ${JSON.stringify(path)} twice, or as file and folder: the whole fetch was refused. Build it again.`;
      throw new FetchError('FETCH_INVALID', message);
    }
    if (collision !== undefined || misspelled !== undefined) {
      const message = `The file was left out: its name differs from ${collision ?? folders.get(foldPath(misspelled ?? ''))} only in case or accents.`;
      skipped.push({ id: 'entry-collision', path, message, fix: 'Rename one of them at the origin.' });
      return false;
    }
    files.set(fold, path);
    for (const folder of above) folders.set(foldPath(folder), folder);
    return true;
  });
}

/** `a`, `a/b` of `a/b/c`. */
function parentsOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'));
}
