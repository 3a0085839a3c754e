/** Errors of the evaluation. */

import { CodedError } from '../../src/base/errors.ts';

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

export class EvaluationError extends CodedError<EvaluationErrorCode> {
  override readonly name = 'EvaluationError';
}
