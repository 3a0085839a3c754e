/** Why a caller is refused: for the answer (through the SDK's challenge), the log and the metrics. */

import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';

/**
 * - `missing`: no bearer token was sent.
 * - `malformed`: not a token of any accepted kind.
 * - `unknown`: a skillgate token that is not in the token file.
 * - `revoked`, `expired`: no longer valid.
 * - `algorithm`: signed with a refused algorithm: `none`, a shared secret, or an unknown one.
 * - `signature`: not signed with a key of the issuer.
 * - `claims`: another issuer, audience or type, not yet valid, or without a usable subject.
 * - `scope`: valid, but without a required scope.
 * - `unavailable`: the issuer's keys or the token file cannot be read, so no token can be checked.
 */
export type AuthReason =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'algorithm'
  | 'signature'
  | 'claims'
  | 'scope'
  | 'unavailable';

const CODES: Partial<Record<AuthReason, OAuthErrorCode>> = {
  scope: OAuthErrorCode.InsufficientScope,
  unavailable: OAuthErrorCode.TemporarilyUnavailable,
};

/** Extends the SDK's error, which its challenge needs. The message goes to the caller and contains nothing of the token. */
export class AuthError extends OAuthError {
  readonly reason: AuthReason;

  constructor(reason: AuthReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(CODES[reason] ?? OAuthErrorCode.InvalidToken, message);
    this.name = 'AuthError';
    this.reason = reason;
    if (options.cause !== undefined) this.cause = options.cause;
  }
}
