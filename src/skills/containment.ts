/**
 * Keeps every path that a caller requests inside the skill's folder, by its spelling alone. Which files may be read is
 * for the skill's list of files, and where links lead for `src/base/files`.
 */

import { posix } from 'node:path';

type Contained =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

/** Rounds of percent-decoding that are checked: `%25252e` is `.` after three. */
const MAX_DECODINGS = 5;

/** Device names on Windows, with any extension, also after spaces. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:[.:]|$)/i;

/**
 * `path` is relative to the folder, with `/` and without `.`. Refuses paths that leave the folder, as written or in any
 * percent-encoding.
 */
export function containedPath(requested: string): Contained {
  const reason = spellingFault(requested);
  if (reason !== null) return { ok: false, reason };
  const path = posix.normalize(requested).replace(/\/$/, '');
  return path === '.' ? { ok: false, reason: 'it names the folder itself' } : { ok: true, path };
}

/** Why a path is refused by its spelling, in any percent-encoding; null if its spelling is fine. */
function spellingFault(requested: string): string | null {
  let spelled = requested;
  for (let round = 0; ; round++) {
    const reason = findFault(spelled);
    if (reason !== null) return reason;
    const decoded = spelled.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === spelled) return null;
    if (round === MAX_DECODINGS) return 'it is percent-encoded too many times';
    spelled = decoded;
  }
}

function findFault(path: string): string | null {
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
