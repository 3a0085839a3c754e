/** Folder and file names for the skills of an upstream server. Its names are untrusted: none may lead elsewhere. */

import { createHash } from 'node:crypto';
import { DEVICE_NAME, foldPath, pathProblem } from '../fetched/select-files.ts';
import { isIgnoredDirectory } from '../scan/walk.ts';
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

/** Letters, digits, `-`, `_` and inner dots; everything else becomes `-`. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, MAX_NAME)
    .replace(/^[.-]+|[.-]+$/g, '');
  return plain === '' || DEVICE_NAME.test(plain) || isIgnoredDirectory(plain)
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
export function segmentsOf(root: string): readonly string[] {
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
