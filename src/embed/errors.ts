/** Errors of embedding models. */

import { CodedError } from '../errors/public.ts';

/**
 * - `MODEL_MISSING`: the folder or its files are not there, or the hub does not have (or give) them.
 * - `MODEL_INVALID`: a file is damaged, or of a kind that is not understood.
 * - `MODEL_PACKAGE`: the package that runs such models is not installed, or does not load on this machine.
 * - `MODEL_OUTPUT`: the model gave something that is no embedding.
 */
export type ModelErrorCode = 'MODEL_MISSING' | 'MODEL_INVALID' | 'MODEL_PACKAGE' | 'MODEL_OUTPUT';

/** A model cannot be used. The message says what failed, what was found and what to do. */
export class ModelError extends CodedError<ModelErrorCode> {
  override readonly name = 'ModelError';
}
