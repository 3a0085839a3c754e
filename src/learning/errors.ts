/** Why the data file of learning was not written, or what is wrong with a file that is imported. */

import { CodedError } from '../errors/public.ts';

/**
 * - `LEARNED_UNWRITABLE`: the folder or file cannot be written or locked; nothing that was there is lost.
 * - `LEARNED_INVALID`: an imported file holds a line that is no record; nothing of it was taken.
 */
type LearningErrorCode = 'LEARNED_UNWRITABLE' | 'LEARNED_INVALID';

export class LearningError extends CodedError<LearningErrorCode> {
  override readonly name = 'LearningError';
}
