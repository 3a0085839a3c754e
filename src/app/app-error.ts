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
 * - `CLOSED`: the catalog of a program was closed before.
 * - `HOST_FILE_INVALID`: a host's file cannot be read or edited.
 * - `HOST_PUBLIC`: other machines could reach a server, and authentication is not configured.
 * - `HOST_UNKNOWN`: this machine has no such address.
 * - `PORT_INVALID`: not a port from 0 to 65535.
 * - `PORT_TAKEN`: another process listens there.
 * - `PORT_REFUSED`: not permitted; low ports need a privilege.
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
  | 'HOST_PUBLIC'
  | 'HOST_UNKNOWN'
  | 'PORT_INVALID'
  | 'PORT_TAKEN'
  | 'PORT_REFUSED'
  | 'STORE_BUSY'
  | 'CLOSED';

export class AppError extends CodedError<AppErrorCode> {
  override readonly name: string = 'AppError';
}

/** Where a setting comes from. */
export interface Place {
  /** File with line and column, or the flag or variable that holds the value. */
  readonly where: string;
  /** From 1; null where the value comes from no file. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface ConfigProblem extends Place {
  /** A full sentence: what was found, and what is allowed. Holds no secret. */
  readonly message: string;
}

/** Problems that the message lists; a file with more has one cause for most. */
const LISTED = 12;

/** Every problem of a configuration with its location, and one message that lists them. */
export class ConfigError extends AppError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  /** Of the message, one for each problem that it lists. */
  readonly lines: readonly string[];

  constructor(problems: readonly ConfigProblem[], cause?: unknown) {
    const lines = problems.slice(0, LISTED).map(({ where, message }) => `${where}: ${message}`);
    const rest = problems.length - lines.length;
    if (rest > 0) lines.push(rest === 1 ? '1 more problem.' : `${rest} more problems.`);
    super('CONFIG_INVALID', lines.join('\n'), { cause });
    this.problems = problems;
    this.lines = lines;
  }
}
