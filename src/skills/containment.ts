/**
 * Keeps every path that a caller requests inside the skill's folder. Whether the file exists and may be read is
 * checked by the gateway.
 */

import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

type Contained =
  | { readonly ok: true; readonly path: string; readonly absolute: string }
  | { readonly ok: false; readonly reason: string };

/** Rounds of percent-decoding that are checked: `%25252e` is `.` after three. */
const MAX_DECODINGS = 5;

/** Device names on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:[.:]|$)/i;

/**
 * `path` is relative to the folder, with `/` and without `.`; `absolute` is where to read it. Refuses paths that
 * leave the folder, as written, in any percent-encoding, or through a symbolic link. A file that does not exist is
 * contained if its nearest existing folder is.
 */
export async function containedPath(folder: string, requested: string): Promise<Contained> {
  const fault = spellingFault(requested);
  if (fault !== null) return { ok: false, reason: fault };
  const root = resolve(folder);
  const absolute = resolve(root, requested);
  const path = relative(root, absolute).split(sep).join('/');
  if (path === '') return { ok: false, reason: 'it names the folder itself' };
  const [realRoot, realTarget] = await Promise.all([nearestReal(root), nearestReal(absolute)]);
  if (realRoot === null || realTarget === null) {
    return { ok: false, reason: 'a symbolic link is broken' };
  }
  if (realTarget !== realRoot && !realTarget.startsWith(join(realRoot, sep))) {
    return { ok: false, reason: 'a symbolic link leads out of the skill’s folder' };
  }
  return { ok: true, path, absolute };
}

/** Why a path is refused by its spelling, in any percent-encoding; null if its spelling is fine. */
export function spellingFault(requested: string): string | null {
  let spelled = requested;
  for (let round = 0; ; round++) {
    const reason = faultOf(spelled);
    if (reason !== null) return reason;
    const decoded = spelled.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === spelled) return null;
    if (round === MAX_DECODINGS) return 'it is percent-encoded too many times';
    spelled = decoded;
  }
}

function faultOf(path: string): string | null {
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.trim() === '') return 'it is empty';
  if (path.includes('\\')) return 'it contains a backslash';
  if (path.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:/i.test(path)) return 'it names a drive';
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return 'it is a URL';
  if (path.startsWith('~')) return 'it starts with `~`';
  const segments = path.split('/');
  if (segments.some((segment) => /^\.\.[. ]*$/.test(segment))) return 'it contains `..`';
  if (segments.some((segment) => DEVICE.test(segment.trim()))) return 'it names a device';
  return null;
}

/** The real path of the nearest existing ancestor, including the path itself; null below a broken link. */
async function nearestReal(path: string): Promise<string | null> {
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => null);
    if (real !== null) return real;
    const isLink = await lstat(at).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (isLink || dirname(at) === at) return null;
  }
}
