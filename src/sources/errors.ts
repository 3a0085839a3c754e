/** Errors of fetching skills. */

import { CodedError } from '../base/errors.ts';

/**
 * - `FETCH_UNREACHABLE`: the origin does not answer, or answers with an error.
 * - `FETCH_REFUSED`: the request is not allowed: a private address, a protocol, a link.
 * - `FETCH_INVALID`: the answer is not what it should be: no archive, no index, another digest.
 * - `FETCH_TOO_LARGE`: more skills, files or bytes than the source may have.
 * - `FETCH_TIMEOUT`: the time for one fetch ran out.
 * - `FETCH_MOVED`: the origin no longer has the version in the lockfile.
 * - `FETCH_UNSIGNED`: it has no valid signature of a key that the configuration trusts.
 * - `FETCH_FOLDER`: the source's own folder cannot be read or written.
 * - `FETCH_PROGRAM`: a needed program is not installed.
 */
export type FetchErrorCode =
  | 'FETCH_UNREACHABLE'
  | 'FETCH_REFUSED'
  | 'FETCH_INVALID'
  | 'FETCH_TOO_LARGE'
  | 'FETCH_TIMEOUT'
  | 'FETCH_MOVED'
  | 'FETCH_UNSIGNED'
  | 'FETCH_FOLDER'
  | 'FETCH_PROGRAM';

export class FetchError extends CodedError<FetchErrorCode> {
  override readonly name = 'FetchError';
}
