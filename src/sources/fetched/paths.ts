/** Which paths an origin may use: those that are safe and valid on every operating system. */

import { FetchError } from '../errors.ts';

export interface PathProblem {
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

/** A configured sub-folder, with `/` and without slashes around it; '' for the root. Throws `FETCH_REFUSED`. */
export function subfolderOf(folder: string | undefined): string {
  const path = (folder ?? '').replace(/^(?:\.?\/)+|\/+$/g, '');
  if (path === '' || path === '.') return '';
  const problem = pathProblem(path);
  if (problem === null) return path;
  throw new FetchError('FETCH_REFUSED', `The sub-folder’s name ${problem.reason}: give another.`);
}
