/** Errors of the index. */

/**
 * - `INDEX_MISSING`: there is no index in this directory.
 * - `INDEX_DAMAGED`: a file is missing, shorter than declared, or fails its checksum.
 * - `INDEX_FORMAT`: written by another format version or recipe.
 * - `INDEX_EMBEDDER`: built with another embedding model.
 * - `INDEX_LOCKED`: another process is writing.
 * - `INDEX_WRITE`: the disk refused a write (full, read-only).
 * - `INDEX_INPUT`: the caller's documents or query break the contract.
 */
export type IndexErrorCode =
  | 'INDEX_MISSING'
  | 'INDEX_DAMAGED'
  | 'INDEX_FORMAT'
  | 'INDEX_EMBEDDER'
  | 'INDEX_LOCKED'
  | 'INDEX_WRITE'
  | 'INDEX_INPUT';

/** A failure of the index. The message says what failed, what was found and what to do. */
export class IndexError extends Error {
  override readonly name = 'IndexError';
  readonly code: IndexErrorCode;

  constructor(code: IndexErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
