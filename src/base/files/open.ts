/**
 * Opens regular files such that what is opened is what was checked: the descriptor is checked, not the name, so a name
 * that is exchanged meanwhile gains nothing. A directory can be held open in the same way. Which files may be opened is for
 * the caller; reading is `read.ts`.
 *
 * - Linux: the file is held by an O_PATH descriptor, which opens nothing: no FIFO waits, no device notices. The kernel
 *   says what it is (fstat) and where it really is (/proc/self/fd); only then it is opened, through that descriptor.
 * - macOS: the resolved path is opened with O_NOFOLLOW_ANY, which fails where any part of it has become a link.
 * - Elsewhere, and on Linux without /proc: the resolved path is opened, and resolved and compared again by device and
 *   inode. A link that is exchanged twice within those calls can go unnoticed.
 */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CodedError, type ErrorDetails, systemCode } from '../errors.ts';

/**
 * Why a file was not opened or read; the message says what was found and what to do.
 *
 * - `FILE_MISSING`: there is nothing at the path.
 * - `FILE_OUTSIDE`: a symbolic link leads to something that is not one of the folder's own files.
 * - `FILE_NOT_REGULAR`: a directory, FIFO, socket or device.
 * - `FILE_TOO_LARGE`: over the limit; `data` holds `path`, `size` and `limit`.
 * - `FILE_UNREADABLE`: the system refuses; the cause is its error.
 */
type FileErrorCode =
  | 'FILE_MISSING'
  | 'FILE_OUTSIDE'
  | 'FILE_NOT_REGULAR'
  | 'FILE_TOO_LARGE'
  | 'FILE_UNREADABLE';

export class FileError extends CodedError<FileErrorCode> {
  override readonly name = 'FileError';
  /** The message without the path: goes on from "the file". */
  readonly reason: string;

  constructor(code: FileErrorCode, path: string, reason: string, details?: ErrorDetails) {
    super(code, `${path} ${reason}`, details);
    this.reason = reason;
  }
}

/** What the system refused, as a `FileError` that names the path; errors of others as they are. */
export function toFileError(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (error instanceof CodedError || code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new FileError('FILE_MISSING', path, `does not exist (${code}).`, { cause: error });
  const reason = `cannot be read (${code}). Check its permissions.`;
  return new FileError('FILE_UNREADABLE', path, reason, { cause: error });
}

/** Linux's O_PATH on all processors that Node runs on, and Darwin's O_NOFOLLOW_ANY; Node names neither. */
const O_PATH = 0x20_0000;
const O_NOFOLLOW_ANY = 0x2000_0000;
/** A FIFO that is opened for reading would wait for a writer; regular files are read as ever. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const DESCRIPTORS = '/proc/self/fd';
/** What the kernel appends to the place of a file whose name was removed or replaced after it was opened. */
const DELETED = ' (deleted)';
const LEADS_OUT =
  'is a symbolic link, or is reached through one, to a file outside its folder. Replace it with a copy.';

export type Guarantee = 'checked-descriptor' | 'no-links-followed' | 'compared-afterwards';

/** What this system offers, best first. */
export const GUARANTEE: Guarantee =
  process.platform === 'linux' && existsSync(DESCRIPTORS)
    ? 'checked-descriptor'
    : process.platform === 'darwin'
      ? 'no-links-followed'
      : 'compared-afterwards';

/**
 * A descriptor of the regular file at `path` below `folder`, which the caller closes. `folder` is a real path; `path`
 * is relative, with `/`, and without `..`. Links are followed only to what `isOwn` accepts: it gets the place of the
 * file that was really opened, below `folder` and with `/`. Throws `FileError`.
 */
export function openBelow(
  folder: string,
  path: string,
  isOwn: (path: string) => boolean,
  guarantee: Guarantee = GUARANTEE,
): number {
  const absolute = join(folder, path);
  const checkPlace = (real: string) => {
    const place = relative(folder, real).split(sep).join('/');
    const isBelow = real.startsWith(join(folder, sep));
    if (isBelow && (place === path || isOwn(place))) return;
    // A replaced file is as good as it was: its reader sees the old contents or the new ones.
    if (isBelow && place.endsWith(DELETED) && isOwn(place.slice(0, -DELETED.length))) return;
    throw new FileError('FILE_OUTSIDE', absolute, LEADS_OUT);
  };
  return opened(absolute, guarantee, checkPlace);
}

/**
 * A descriptor of the regular file at `path`, wherever links lead, which the caller closes: for files that the
 * operator names. Throws `FileError`.
 */
export function openRegular(path: string): number {
  return opened(path, GUARANTEE === 'no-links-followed' ? 'compared-afterwards' : GUARANTEE, null);
}

type CheckPlace = ((real: string) => void) | null;

function opened(path: string, guarantee: Guarantee, checkPlace: CheckPlace): number {
  try {
    if (guarantee === 'checked-descriptor') return throughDescriptor(path, checkPlace);
    return checkPlace === null
      ? regularFile(openSync(path, READ), path)
      : throughRealPath(path, guarantee, checkPlace);
  } catch (error) {
    throw toFileError(error, path);
  }
}

function throughDescriptor(path: string, checkPlace: CheckPlace): number {
  const held = openSync(path, O_PATH);
  try {
    const place = `${DESCRIPTORS}/${held}`;
    if (checkPlace !== null) checkPlace(readlinkSync(place));
    demandRegular(fstatSync(held), path);
    return openSync(place, READ);
  } finally {
    closeSync(held);
  }
}

function throughRealPath(path: string, guarantee: Guarantee, checkPlace: (real: string) => void): number {
  const real = realpathSync(path);
  checkPlace(real);
  if (guarantee === 'no-links-followed') return regularFile(openSync(real, READ | O_NOFOLLOW_ANY), path);
  // Before it is opened: what is not a regular file may react to that.
  demandRegular(lstatSync(real), path);
  const file = regularFile(openSync(real, READ | (constants.O_NOFOLLOW ?? 0)), path);
  try {
    const [found, expected] = [fstatSync(file), lstatSync(real)];
    const same = found.dev === expected.dev && found.ino === expected.ino && realpathSync(real) === real;
    if (!same) throw new FileError('FILE_UNREADABLE', path, 'was replaced while it was opened. Try again.');
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function regularFile(file: number, path: string): number {
  try {
    demandRegular(fstatSync(file), path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function demandRegular(found: Stats, path: string): void {
  if (found.isFile()) return;
  throw new FileError('FILE_NOT_REGULAR', path, `is ${kindOfFile(found)}. Put a regular file in its place.`);
}

function kindOfFile(found: Stats): string {
  if (found.isDirectory()) return 'a directory';
  if (found.isFIFO()) return 'a FIFO';
  if (found.isSocket()) return 'a socket';
  return found.isSymbolicLink() ? 'a symbolic link' : 'a device';
}

/** A directory held open, so that a name that is exchanged for a link meanwhile leads nowhere else. */
export interface HeldFolder {
  /** A path by which its entries are listed and looked at; good until `close`. */
  readonly at: string;
  close(): void;
}

/** Holds the directory at `path`, a real path. Throws `FileError` if any part of it has become a link. */
export function holdFolder(path: string): HeldFolder {
  try {
    if (GUARANTEE !== 'checked-descriptor') {
      demandSame(realpathSync(path), path);
      return { at: path, close: () => {} };
    }
    const folder = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const at = `${DESCRIPTORS}/${folder}`;
    try {
      demandSame(readlinkSync(at), path);
    } catch (error) {
      closeSync(folder);
      throw error;
    }
    return { at, close: () => closeSync(folder) };
  } catch (error) {
    throw toFileError(error, path);
  }
}

function demandSame(real: string, path: string): void {
  if (real !== path) throw new FileError('FILE_OUTSIDE', path, 'has been replaced by a symbolic link.');
}
