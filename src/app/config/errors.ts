/** What is wrong with a configuration: every problem with its location, and one message that lists them. */

import { AppError } from '../app-error.ts';

export interface ConfigProblem {
  /** File with line and column, or the flag or variable that holds the value. */
  readonly where: string;
  /** From 1; null where the value comes from no file. */
  readonly line: number | null;
  readonly column: number | null;
  /** A full sentence: what was found, and what is allowed. Holds no secret. */
  readonly message: string;
}

/** Problems that the message lists; a file with more has one cause for most. */
const LISTED = 12;

export class ConfigError extends AppError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], cause?: unknown) {
    const lines = problems.slice(0, LISTED).map(({ where, message }) => `${where}: ${message}`);
    const rest = problems.length - lines.length;
    if (rest > 0) lines.push(rest === 1 ? '1 more problem.' : `${rest} more problems.`);
    super('CONFIG_INVALID', lines.join('\n'), { cause });
    this.problems = problems;
  }
}
