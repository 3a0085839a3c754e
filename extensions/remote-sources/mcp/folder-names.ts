/** Folder and file names for the skills of an upstream server. Its names are untrusted: none may lead elsewhere. */

import { createHash } from 'node:crypto';
import { isIgnoredDirectory } from '../../../src/sources/source.ts';
import { DEVICE_NAME, foldPath, listParents, pathProblem } from '../fetched/select-files.ts';
import { SkillRefusedError } from './fetch-context.ts';

/** Most levels of folders above a skill file; a scan looks twelve levels deep. */
const MAX_DEPTH = 8;
/** Longest folder name, characters; most file systems accept 255 bytes. */
const MAX_NAME = 80;

/** Gives each skill of one fetch its own folder. */
export class FolderNames {
  readonly #taken = new Set<string>();

  /** The server's own names if they are safe and free, else safe ones with a digest of `at`. */
  create(at: string, segments: readonly string[]): string {
    const plain = segments.map(plainName);
    const isSafe =
      segments.every((segment, index) => segment === plain[index]) && segments.length <= MAX_DEPTH;
    const folder = plain.slice(-MAX_DEPTH).join('/');
    if (isSafe && folder !== '' && this.#take(folder)) return folder;
    const suffix = createHash('sha256').update(at).digest('hex').slice(0, 10);
    const unique = `${folder === '' ? 'skill' : folder}-${suffix}`;
    if (this.#take(unique)) return unique;
    throw new SkillRefusedError('it is listed twice');
  }

  #take(folder: string): boolean {
    const folded = foldPath(folder);
    if (this.#taken.has(folded)) return false;
    this.#taken.add(folded);
    return true;
  }
}

/** Paths of one tree: none is taken twice, also but for case, and none as both file and folder. */
export class TreePaths {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** Takes all of these files, or throws `SkillRefusedError` and takes none. */
  take(paths: readonly string[]): void {
    const files = paths.map(foldPath);
    const folders = new Set(files.flatMap(listParents));
    const taken = files.findIndex(
      (path) => this.#files.has(path) || this.#folders.has(path) || folders.has(path),
    );
    const below = files.findIndex((path) => listParents(path).some((folder) => this.#files.has(folder)));
    const collision = paths[Math.max(taken, below)];
    if (collision !== undefined)
      throw new SkillRefusedError(
        `its file ${JSON.stringify(collision)} is also a folder, or another skill’s`,
      );
    for (const path of files) this.#files.add(path);
    for (const folder of folders) this.#folders.add(folder);
  }
}

/** Letters, digits, `-`, `_` and inner dots; everything else becomes `-`. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, MAX_NAME)
    .replace(/^[.-]+|[.-]+$/g, '');
  // A folder of that name would take the place of another skill's file.
  const isFileName = /^skill\.md$/i.test(plain);
  return plain === '' || isFileName || DEVICE_NAME.test(plain) || isIgnoredDirectory(plain)
    ? `skill-${plain}`.replace(/-$/, '')
    : plain;
}

/** The path, if it can only mean a file inside the skill. Throws `SkillRefusedError`. */
export function memberPath(path: string): string {
  const problem = pathProblem(path);
  if (problem !== null)
    throw new SkillRefusedError(
      `a file is called ${JSON.stringify(path.slice(0, 120))}, whose name ${problem.reason}`,
    );
  return path;
}

/** The decoded segments of a skill's root URI: the authority, then the path. The URI itself if it cannot be decoded. */
export function rootSegments(root: string): readonly string[] {
  try {
    return root
      .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
      .split('/')
      .map(decoded);
  } catch {
    return [root];
  }
}

/** The path of a file below a skill's root, both as URIs. Throws `SkillRefusedError` if it is elsewhere. */
export function pathBelow(root: string, uri: string): string {
  if (!uri.startsWith(`${root}/`))
    throw new SkillRefusedError(`${JSON.stringify(uri.slice(0, 120))} is outside its folder`);
  return memberPath(
    uri
      .slice(root.length + 1)
      .split('/')
      .map(decoded)
      .join('/'),
  );
}

function decoded(segment: string): string {
  let plain: string;
  try {
    plain = decodeURIComponent(segment);
  } catch {
    throw new SkillRefusedError(`${JSON.stringify(segment.slice(0, 120))} is not valid percent-encoding`);
  }
  if (plain.includes('/')) throw new SkillRefusedError('a segment of its address hides a slash');
  return plain;
}
