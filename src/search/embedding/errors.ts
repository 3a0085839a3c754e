/** Errors of embedding models. */

import { CodedError } from '../../base/errors.ts';

/**
 * - `MODEL_MISSING`: the folder or its files do not exist, or the hub does not provide them.
 * - `MODEL_INVALID`: a file is damaged, or of an unsupported kind.
 * - `MODEL_PACKAGE`: the package that runs such models is not installed, or does not load on this machine.
 * - `MODEL_OUTPUT`: the model's output is not an embedding.
 */
type ModelErrorCode = 'MODEL_MISSING' | 'MODEL_INVALID' | 'MODEL_PACKAGE' | 'MODEL_OUTPUT';

/** A model cannot be used. */
export class ModelError extends CodedError<ModelErrorCode> {
  override readonly name = 'ModelError';
}
