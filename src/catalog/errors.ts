/** Errors of fetching skills from elsewhere, one class: callers tell them apart by `code`. */

/**
 * - `FETCH_UNREACHABLE`: the origin does not answer, or answers with an error.
 * - `FETCH_REFUSED`: what was asked for is not allowed here: a private address, a protocol, a link.
 * - `FETCH_INVALID`: what came is not what it should be: no archive, no index, another digest.
 * - `FETCH_TOO_LARGE`: more skills, files or bytes than the source may hold.
 * - `FETCH_TIMEOUT`: the time for one fetch ran out.
 * - `FETCH_MOVED`: the origin no longer has what the lockfile records.
 * - `FETCH_PLACE`: the source's own folder cannot be read or written, or another process holds it.
 * - `FETCH_PROGRAM`: a program that is needed is not installed.
 */
export type FetchErrorCode =
  | 'FETCH_UNREACHABLE'
  | 'FETCH_REFUSED'
  | 'FETCH_INVALID'
  | 'FETCH_TOO_LARGE'
  | 'FETCH_TIMEOUT'
  | 'FETCH_MOVED'
  | 'FETCH_PLACE'
  | 'FETCH_PROGRAM';

/** A fetch failed. The message says what failed, what was found and what to do. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FetchErrorCode;

  constructor(code: FetchErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
