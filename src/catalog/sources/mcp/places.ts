/** Where a peer's skills and their files come to lie. Their names are the peer's: none of them may lead anywhere. */

import { createHash } from 'node:crypto';
import { faultOfPath, foldPath } from '../store/paths.ts';
import { isIgnoredDirectory } from '../walk.ts';
import { SkillRefused } from './reading.ts';

/** Folders between the source's own and a skill's file; the catalog looks twelve deep. */
const MAX_DEPTH = 8;
/** Characters of a folder's name; files' names have 255 bytes on most disks. */
const MAX_NAME = 80;
/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/** Folders for skills, each given once. */
export class Folders {
  readonly #given = new Set<string>();

  /** A readable name keeps to what the peer calls it; where that cannot be, a digest of it follows. */
  of(at: string, segments: readonly string[]): string {
    const plain = segments.map(plainName);
    const kept = segments.every((segment, index) => segment === plain[index]) && segments.length <= MAX_DEPTH;
    const folder = plain.slice(-MAX_DEPTH).join('/');
    if (kept && folder !== '' && this.#give(folder)) return folder;
    const suffix = createHash('sha256').update(at).digest('hex').slice(0, 10);
    const told = `${folder === '' ? 'skill' : folder}-${suffix}`;
    if (this.#give(told)) return told;
    throw new SkillRefused('it is listed twice');
  }

  #give(folder: string): boolean {
    const folded = foldPath(folder);
    if (this.#given.has(folded)) return false;
    this.#given.add(folded);
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
  return plain === '' || DEVICE.test(plain) || isIgnoredDirectory(plain)
    ? `skill-${plain}`.replace(/-$/, '')
    : plain;
}

/** The path, where it can only mean a file inside the skill. Throws `SkillRefused`. */
export function memberPath(path: string): string {
  const fault = faultOfPath(path);
  if (fault !== null)
    throw new SkillRefused(
      `a file is called ${JSON.stringify(path.slice(0, 120))}, whose name ${fault.reason}`,
    );
  return path;
}

/** The decoded segments of a skill's root URI: the authority, then the path. Throws `SkillRefused`. */
export function segmentsOf(root: string): string[] {
  return root
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .split('/')
    .map(decoded);
}

/** The path of a file below a skill's root, both as URIs. Throws `SkillRefused` where it lies elsewhere. */
export function pathBelow(root: string, uri: string): string {
  if (!uri.startsWith(`${root}/`))
    throw new SkillRefused(`${JSON.stringify(uri.slice(0, 120))} lies outside its folder`);
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
    throw new SkillRefused(`${JSON.stringify(segment.slice(0, 120))} is not percent-encoded as it should be`);
  }
  if (plain.includes('/')) throw new SkillRefused('a segment of its address hides a slash');
  return plain;
}
