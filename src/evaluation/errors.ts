/** Errors of measuring, one class: callers tell them apart by `code`. */

/**
 * - `DATASET_UNREADABLE`: a file of the dataset cannot be opened; `data.file` names it.
 * - `DATASET_INVALID`: a line breaks the format; `data` holds file and 1-based line.
 * - `SYSTEM_INVALID`: a system under test broke its contract; `data` holds system and query.
 * - `COMPARISON_INVALID`: two evaluations do not cover the same queries or lack the measure.
 */
export type EvaluationErrorCode =
  | 'DATASET_UNREADABLE'
  | 'DATASET_INVALID'
  | 'SYSTEM_INVALID'
  | 'COMPARISON_INVALID';

/** A failure of measuring. The message says what failed, what was found and what to do. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: EvaluationErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: EvaluationErrorCode,
    message: string,
    options: { data?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
  }
}
