/**
 * Keeps every path that a caller asks for inside the skill's folder. Whether the file exists, and may be read, is
 * the gateway's affair.
 */

import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

export type Contained =
  | { readonly ok: true; readonly path: string; readonly absolute: string }
  | { readonly ok: false; readonly reason: string };

/** Rounds of percent-decoding looked through: `%25252e` is `.` after three. */
const MAX_DECODINGS = 5;

/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:[.:]|$)/i;

/**
 * `path` is relative to the folder, with `/` and without `.`; `absolute` is where to read it. Refuses what leads
 * out, as written or in any percent-encoding, and what a symbolic link leads out with. A file that does not exist
 * is contained where its nearest existing folder is.
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
    return { ok: false, reason: 'a symbolic link leads nowhere' };
  }
  if (realTarget !== realRoot && !realTarget.startsWith(join(realRoot, sep))) {
    return { ok: false, reason: 'a symbolic link leads out of the skill’s folder' };
  }
  return { ok: true, path, absolute };
}

/** Why a path is refused as it is written, in any percent-encoding; null where only the disk could object. */
export function spellingFault(requested: string): string | null {
  let spelled = requested;
  for (let round = 0; ; round++) {
    const reason = faultOf(spelled);
    if (reason !== null) return reason;
    const decoded = spelled.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === spelled) return null;
    if (round === MAX_DECODINGS) return 'it is percent-encoded too often';
    spelled = decoded;
  }
}

function faultOf(path: string): string | null {
  if (path.includes('\0')) return 'it holds a NUL character';
  if (path.trim() === '') return 'it is empty';
  if (path.includes('\\')) return 'it holds a backslash';
  if (path.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:/i.test(path)) return 'it names a drive';
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return 'it is a URL';
  if (path.startsWith('~')) return 'it begins in a home directory';
  const segments = path.split('/');
  if (segments.some((segment) => /^\.\.[. ]*$/.test(segment))) return 'it holds `..`';
  if (segments.some((segment) => DEVICE.test(segment.trim()))) return 'it names a device';
  return null;
}

/** The real path of the nearest ancestor that exists, itself included; null below a link that leads nowhere. */
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
