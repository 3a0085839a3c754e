/** Why a system cannot be built from its configuration. Exit codes belong to the command line (`ending.ts`). */

import { CodedError } from '../base/errors.ts';

/**
 * - `CONFIG_INVALID`: a configuration file, flag or variable holds a value that is not allowed (`ConfigError`).
 * - `CONFIG_UNREADABLE`: the configuration file is missing, unreadable or ambiguous.
 * - `SETTING_INVALID`: a setting passes the schema but cannot be used here.
 * - `FOLDER_MISSING`: a folder with skills that was named does not exist.
 * - `LOCATION_INVALID`: a location names no kind of source.
 * - `LOCK_MISMATCH`: sources are frozen, and the lockfile does not cover one of them.
 * - `FILE_UNWRITABLE`: the configuration, the lockfile or a host's file cannot be written.
 * - `STORE_BUSY`: a gateway writes the store.
 * - `HOST_FILE_INVALID`: a host's file cannot be read or edited.
 */
export type AppErrorCode =
  | 'CONFIG_INVALID'
  | 'CONFIG_UNREADABLE'
  | 'SETTING_INVALID'
  | 'FOLDER_MISSING'
  | 'LOCATION_INVALID'
  | 'LOCK_MISMATCH'
  | 'FILE_UNWRITABLE'
  | 'HOST_FILE_INVALID'
  | 'STORE_BUSY';

export class AppError extends CodedError<AppErrorCode> {
  override readonly name: string = 'AppError';
}
