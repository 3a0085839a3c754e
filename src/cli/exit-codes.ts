/** How a command ends, for scripts. Documented in docs/cli.md; a number once given keeps its meaning. */
export const EXIT = {
  /** It did what was asked. */
  ok: 0,
  /** It could not: the message on stderr says why. */
  failed: 1,
  /** The command line or a configuration file is wrong. */
  usage: 2,
  /** No such skill, file or section, or no skill was found at all. */
  notFound: 3,
  /** `validate` found errors. */
  invalid: 4,
  /** Another process is writing the index. */
  locked: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a code and a message for stderr. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
