/** How a command ends, for scripts. Documented in docs/cli.md; a number never changes its meaning. */

import { CodedError } from '../base/errors.ts';

export const EXIT = {
  ok: 0,
  /** The command failed; the message on stderr says why. */
  failed: 1,
  /** The command line or a configuration file is wrong. */
  usage: 2,
  /** No such skill, file or section, or a search without hits. */
  notFound: 3,
  /** `validate` found errors. */
  invalid: 4,
  /** Another process is writing the index. */
  locked: 5,
  /** Nothing was written: there was no terminal to ask on, and no --yes. */
  unconfirmed: 7,
  /** `eval` measured less than --min-hit1 or --baseline ask for. */
  below: 8,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * - `USAGE`: the command line is wrong.
 * - `NO_SKILLS`: there is no folder and no other source to take skills from.
 * - `NOT_FOUND`: what the command line names does not exist.
 * - `FAILED`: the command could not do its work.
 */
export type CliErrorCode = 'USAGE' | 'NO_SKILLS' | 'NOT_FOUND' | 'FAILED';

/** Ends a command with a message on stderr and the exit code of its kind. */
export class CliError extends CodedError<CliErrorCode> {
  override readonly name = 'CliError';
}
