/**
 * Selects the files to fetch of all that an origin offers: the files of skills, with names that are safe and valid on every
 * system. Repositories and archives use the same rules, before any file is fetched.
 */

import { takeTurns } from '../../../src/base/timing.ts';
import type { DiagnosticId } from '../../../src/skills/diagnostics.ts';
import { isIgnoredDirectory, MAX_FILES } from '../../../src/sources/source.ts';
import { FetchError } from './fetch-error.ts';

/** An entry of a repository or archive. */
export interface OfferedFile {
  /** The origin's path below the source's root. */
  readonly path: string;
  readonly type: 'file' | 'link' | 'submodule' | 'other';
  readonly executable: boolean;
  /** Bytes; null if the origin does not say before the file is fetched. */
  readonly size: number | null;
}

/** Takes what is left out: a diagnostic's id, path, message and fix. */
type Report = (id: DiagnosticId, path: string, message: string, fix: string) => void;

/** Files of one source: ten for each of 25,000 skills. */
export const MAX_SOURCE_FILES = 250_000;

/**
 * In code-unit order of path, with turns for other work. Rejects for what no honest tool makes: names that lead out of the folder,
 * or one name twice.
 */
export async function selectFiles<T extends OfferedFile>(
  offers: readonly T[],
  report: Report,
): Promise<readonly T[]> {
  const yieldTurn = takeTurns();
  const sorted = [...offers].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const valid: T[] = [];
  for (const offer of sorted) {
    if (hasValidName(offer, report)) valid.push(offer);
    await yieldTurn();
  }
  const skills = findSkillFolders(valid.flatMap(({ path, type }) => (type === 'file' ? path : [])));
  const isNew = collisionCheck(report);
  const isListed = countCheck(report);
  const taken: T[] = [];
  for (const offer of valid) {
    const skill = owningSkill(offer.path, skills);
    // Submodules are reported by the source, also outside of skills.
    const isPlain = skill !== null && offer.type !== 'submodule' && isPlainFile(offer, report);
    if (isPlain && isNew(offer) && isListed(skill, offer)) taken.push(offer);
    await yieldTurn();
  }
  if (taken.length > MAX_SOURCE_FILES) {
    const message = `It has ${taken.length} files in skills, and ${MAX_SOURCE_FILES} are allowed: give a sub-folder.`;
    throw new FetchError(message);
  }
  return taken;
}

/** Folders with a skill file, '' for the root. */
export function findSkillFolders(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    const slash = path.lastIndexOf('/');
    if (path.slice(slash + 1).toLowerCase() === 'skill.md') folders.add(path.slice(0, Math.max(slash, 0)));
  }
  return folders;
}

function hasValidName({ path }: OfferedFile, report: Report): boolean {
  const problem = pathProblem(path);
  if (problem === null) return true;
  const shown = JSON.stringify(path.slice(0, 200));
  if (problem.hostile) {
    const message = `It has ${shown}, whose name ${problem.reason}: the whole fetch was refused. Build it again without that file.`;
    throw new FetchError(message);
  }
  const message = `The file was left out: its name ${problem.reason}.`;
  report('entry-name', shown.slice(1, -1), message, 'Rename it at the origin.');
  return false;
}

/** The nearest folder of a skill above a file that a scan would list: not hidden, not in an ignored folder. Else null. */
function owningSkill(path: string, skills: ReadonlySet<string>): string | null {
  const names = path.split('/');
  const name = names.pop() ?? '';
  if (names.some(isIgnoredDirectory)) return null;
  if (name.startsWith('.')) return null;
  for (let depth = names.length; depth >= 0; depth--) {
    const folder = names.slice(0, depth).join('/');
    if (skills.has(folder)) return folder;
    if (names[depth - 1]?.startsWith('.')) return null;
  }
  return null;
}

/** Of a skill with more files than a scan lists, the rest stays at the origin. */
function countCheck(report: Report): (skill: string, offer: OfferedFile) => boolean {
  const counts = new Map<string, number>();
  return (skill, { path }) => {
    if (/^skill\.md$/i.test(path.slice(path.lastIndexOf('/') + 1))) return true;
    // The skill file is one of them.
    const count = (counts.get(skill) ?? 1) + 1;
    counts.set(skill, count);
    if (count === MAX_FILES + 1) {
      const message = `The skill has more than ${MAX_FILES} files: the rest was left out.`;
      report('files-too-many', skill, message, 'Split the skill, or remove files.');
    }
    return count <= MAX_FILES;
  };
}

function isPlainFile({ path, type }: OfferedFile, report: Report): boolean {
  if (type === 'file') return true;
  const message =
    type === 'link'
      ? 'A link was left out: fetched skills are plain files only.'
      : 'An entry that is neither file nor folder was left out.';
  report('entry-special', path, message, 'Replace it with a copy of the file.');
  return false;
}

/** Of names that differ only in case or normalisation, the first stays; of a file and a folder, the file. */
function collisionCheck(report: Report): (offer: OfferedFile) => boolean {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  return ({ path }) => {
    const fold = foldPath(path);
    const other = files.get(fold) ?? folders.get(fold);
    const above = listParents(path);
    const collision =
      other ?? above.map((folder) => files.get(foldPath(folder))).find((at) => at !== undefined);
    const misspelled = above.find((folder) => (folders.get(foldPath(folder)) ?? folder) !== folder);
    if (collision === path || above.includes(collision ?? '')) {
      const message = `It has ${JSON.stringify(path)} twice, or as file and folder: the whole fetch was refused. Build it again.`;
      throw new FetchError(message);
    }
    if (collision !== undefined || misspelled !== undefined) {
      const message = `The file was left out: its name differs from ${collision ?? folders.get(foldPath(misspelled ?? ''))} only in case or accents.`;
      report('entry-collision', path, message, 'Rename one of them at the origin.');
      return false;
    }
    files.set(fold, path);
    for (const folder of above) folders.set(foldPath(folder), folder);
    return true;
  };
}

/** `a`, `a/b` of `a/b/c`. */
export function listParents(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'));
}

interface PathProblem {
  /** Continues “its name …”. */
  readonly reason: string;
  /** True for paths that no honest tool writes: the whole fetch is refused. Otherwise only the file is left out. */
  readonly hostile: boolean;
}

/** Longest path and name that common file systems accept, bytes. */
const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;
/** Levels of folders: deeper than any skill of the catalogs in bench/. */
const MAX_DEPTH = 32;
/** Device names of Windows, with any extension. */
export const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/** Characters that a file name cannot have here. On Windows a colon would open a hidden stream of another file. */
const IMPOSSIBLE = process.platform === 'win32' ? /[\u0001-\u001f\u007f<>:"|?*]/ : /[\u0001-\u001f\u007f:]/;

/** Why the path cannot be used; null if it can. Paths are relative, with `/`. */
export function pathProblem(path: string): PathProblem | null {
  const hostile = (reason: string): PathProblem => ({ reason, hostile: true });
  const odd = (reason: string): PathProblem => ({ reason, hostile: false });
  if (path === '') return hostile('is empty');
  if (path.includes('\0')) return hostile('has a NUL character');
  if (/^[/\\]/.test(path)) return hostile('is absolute');
  if (/^[a-z]:/i.test(path)) return hostile('begins with a drive');
  const names = path.split('/');
  if (path.split(/[/\\]/).includes('..')) return hostile('leads out of the folder with `..`');
  if (names.some((name) => name === '' || name === '.')) return hostile('has empty or `.` parts');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return odd(`is longer than ${MAX_PATH_BYTES} bytes`);
  if (names.length > MAX_DEPTH) return odd(`is more than ${MAX_DEPTH} folders deep`);
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    return odd(`has a part longer than ${MAX_NAME_BYTES} bytes`);
  }
  if (path.includes('\\')) return odd('has a backslash');
  if (IMPOSSIBLE.test(path)) return odd('has a character that not every system accepts');
  if (path.includes('\ufffd')) return odd('is not UTF-8');
  if (names.some((name) => /[. ]$/.test(name))) return odd('has a part that ends with a dot or a space');
  if (names.some((name) => DEVICE_NAME.test(name))) return odd('is a device name of Windows');
  return null;
}

/** Paths with equal folds are one file on file systems that ignore case or Unicode normalisation. */
export const foldPath = (path: string) => path.normalize('NFC').toLowerCase().normalize('NFC');

/** A configured sub-folder, with `/` and without slashes around it; '' for the root. Throws a `FetchError`. */
export function toSubfolder(folder: string | undefined): string {
  const path = (folder ?? '').replace(/^(?:\.?\/)+|\/+$/g, '');
  if (path === '' || path === '.') return '';
  const problem = pathProblem(path);
  if (problem === null) return path;
  throw new FetchError(`The sub-folder’s name ${problem.reason}: give another.`);
}
