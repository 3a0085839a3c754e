/** Why a file was not opened or read. The message names the path, what was found there, and what to do. */

import { CodedError, type ErrorDetails, systemCodeOf } from '../errors.ts';

/**
 * - `FILE_MISSING`: there is nothing at the path.
 * - `FILE_OUTSIDE`: a symbolic link leads to something that is not one of the folder's own files.
 * - `FILE_NOT_REGULAR`: a directory, FIFO, socket or device.
 * - `FILE_TOO_LARGE`: over the limit; `data` holds `path`, `size` and `limit`.
 * - `FILE_UNREADABLE`: the system refuses; the cause is its error.
 */
export type FileErrorCode =
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
export function refusalOf(error: unknown, path: string): unknown {
  const code = systemCodeOf(error);
  if (error instanceof CodedError || code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new FileError('FILE_MISSING', path, `does not exist (${code}).`, { cause: error });
  const reason = `cannot be read (${code}). Check its permissions.`;
  return new FileError('FILE_UNREADABLE', path, reason, { cause: error });
}
