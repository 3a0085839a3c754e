/**
 * What of all that an origin offers is taken: the files of skills, under names that every system can hold. The same
 * choice for repositories, archives and indexes, made before a byte is asked for.
 */

import type { DiagnosticId } from '../../../skills/diagnostics.ts';
import { FetchError } from '../../errors.ts';
import { isIgnoredDirectory } from '../walk.ts';
import { faultOfPath, foldPath } from './paths.ts';

/** An entry of a repository or archive. */
export interface Offer {
  /** As the origin writes it, below the source's root. */
  readonly path: string;
  readonly type: 'file' | 'link' | 'other';
  readonly executable: boolean;
  /** Bytes; null where the origin does not say before it is asked for them. */
  readonly size: number | null;
}

export interface Left {
  readonly id: DiagnosticId;
  readonly path: string;
  readonly message: string;
  readonly mend: string;
}

export interface Admitted<T extends Offer> {
  /** In code-unit order of path. */
  readonly taken: readonly T[];
  readonly left: readonly Left[];
}

/** Files of skills in one source: ten for each of 25,000 skills. */
export const MAX_FILES_HELD = 250_000;

/** Rejects by throwing what no honest tool makes: names that lead out, and one name given twice. */
export function admit<T extends Offer>(offers: readonly T[]): Admitted<T> {
  const left: Left[] = [];
  const sorted = [...offers].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const sound = sorted.filter((offer) => isSound(offer, left));
  const skills = skillFoldersOf(sound.flatMap(({ path, type }) => (type === 'file' ? path : [])));
  const owned = sound.filter(({ path }) => isOfSkill(path, skills));
  const plain = owned.filter((offer) => isPlain(offer, left));
  const taken = withoutCollisions(plain, left);
  if (taken.length > MAX_FILES_HELD) {
    const message = `It has ${taken.length} files in skills, and ${MAX_FILES_HELD} are allowed: name a sub-folder.`;
    throw new FetchError('FETCH_TOO_LARGE', message);
  }
  return { taken, left };
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

function isSound({ path }: Offer, left: Left[]): boolean {
  const fault = faultOfPath(path);
  if (fault === null) return true;
  const shown = JSON.stringify(path.slice(0, 200));
  if (fault.hostile) {
    const message = `It holds ${shown}, whose name ${fault.reason}: nothing of it is taken. Make it anew without that.`;
    throw new FetchError('FETCH_INVALID', message);
  }
  const message = `The file was left out: its name ${fault.reason}.`;
  left.push({ id: 'entry-name', path: shown.slice(1, -1), message, mend: 'Rename it at the origin.' });
  return false;
}

/** What a scan would list: below a folder with a skill file, not hidden there, not in a folder of packages. */
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

function isPlain({ path, type }: Offer, left: Left[]): boolean {
  if (type === 'file') return true;
  const message =
    type === 'link'
      ? 'A link was left out: what comes from elsewhere is taken as plain files only.'
      : 'Something that is neither file nor folder was left out.';
  left.push({ id: 'entry-special', path, message, mend: 'Put a copy of the file in its place.' });
  return false;
}

/** Of names that differ in case or accents alone, the first in order stays; so does a file before a folder. */
function withoutCollisions<T extends Offer>(offers: readonly T[], left: Left[]): T[] {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  return offers.filter(({ path }) => {
    const fold = foldPath(path);
    const other = files.get(fold) ?? folders.get(fold);
    const above = parentsOf(path);
    const clash = other ?? above.map((folder) => files.get(foldPath(folder))).find((at) => at !== undefined);
    const spelled = above.find((folder) => (folders.get(foldPath(folder)) ?? folder) !== folder);
    if (clash === path || above.includes(clash ?? '')) {
      const message = `It holds ${JSON.stringify(path)} twice, or as file and folder: nothing of it is taken. Make it anew.`;
      throw new FetchError('FETCH_INVALID', message);
    }
    if (clash !== undefined || spelled !== undefined) {
      const message = `The file was left out: its name differs from ${clash ?? folders.get(foldPath(spelled ?? ''))} in case or accents alone.`;
      left.push({ id: 'entry-collision', path, message, mend: 'Rename one of them at the origin.' });
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
