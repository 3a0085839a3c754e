/** What is wrong with a configuration: every fault with its place, and one message of all of them. */

import { CliError, EXIT } from '../exit-codes.ts';

export interface ConfigProblem {
  /** File with line and column, or the flag or variable that the value came from. */
  readonly where: string;
  /** From 1; null where the value stands in no file. */
  readonly line: number | null;
  readonly column: number | null;
  /** A full sentence: what was found, and what is allowed. Holds no secret. */
  readonly message: string;
}

/** Problems shown one by one; a file with more has one cause for most. */
const SHOWN = 12;

export class ConfigError extends CliError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], cause?: unknown) {
    const lines = problems.slice(0, SHOWN).map(({ where, message }) => `${where}: ${message}`);
    const rest = problems.length - lines.length;
    super(EXIT.usage, [...lines, ...(rest > 0 ? [`${rest} more problems.`] : [])].join('\n'), cause);
    this.problems = problems;
  }
}
