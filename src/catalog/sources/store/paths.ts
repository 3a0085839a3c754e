/** Which names of files an origin may give: what the folder of a source can hold on every system, and nothing else. */

import { FetchError } from '../../errors.ts';

export interface PathFault {
  /** Goes after “its name”. */
  readonly reason: string;
  /** True for what no honest tool writes: the whole fetch is refused. Otherwise the file alone is left out. */
  readonly hostile: boolean;
}

/** Bytes of a path and of one name that common file systems take. */
const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;
/** Folders in folders: the deepest of 24,849 real skills is at 11. */
const MAX_DEPTH = 32;
/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/** Characters that a file's name cannot have here; a colon would begin a hidden stream of another file on Windows. */
const IMPOSSIBLE = process.platform === 'win32' ? /[\u0001-\u001f\u007f<>:"|?*]/ : /[\u0001-\u001f\u007f:]/;

/** Null for a path that can be kept. Paths are relative, with `/`. */
export function faultOfPath(path: string): PathFault | null {
  const hostile = (reason: string): PathFault => ({ reason, hostile: true });
  const odd = (reason: string): PathFault => ({ reason, hostile: false });
  if (path === '') return hostile('is empty');
  if (path.includes('\0')) return hostile('holds a NUL character');
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
  if (path.includes('\\')) return odd('holds a backslash');
  if (IMPOSSIBLE.test(path)) return odd('holds a character that not every system takes');
  if (path.includes('\ufffd')) return odd('is not UTF-8');
  if (names.some((name) => /[. ]$/.test(name))) return odd('has a part that ends with a dot or a space');
  if (names.some((name) => DEVICE.test(name))) return odd('names a device of Windows');
  return null;
}

/** Paths with equal folds are one file where the file system ignores case or how accents are written. */
export const foldPath = (path: string) => path.normalize('NFC').toLowerCase().normalize('NFC');

/** A sub-folder from the configuration, with `/` and without slashes around it; '' for the root. Throws `FETCH_REFUSED`. */
export function folderOf(folder: string | undefined): string {
  const path = (folder ?? '').replace(/^(?:\.?\/)+|\/+$/g, '');
  if (path === '' || path === '.') return '';
  const fault = faultOfPath(path);
  if (fault === null) return path;
  throw new FetchError('FETCH_REFUSED', `The sub-folder’s name ${fault.reason}: give another.`);
}
