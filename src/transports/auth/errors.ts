/** Why a caller is not let in, for the answer (through the SDK's challenge), for the log and for the counters. */

import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';

/**
 * - `missing`: no bearer token was sent.
 * - `malformed`: what was sent is no token of any kind that is known here.
 * - `unknown`: a token of ours that the token file does not hold.
 * - `revoked`, `expired`: it was good once.
 * - `algorithm`: signed by an algorithm that is refused: `none`, a shared secret, or one that is not known.
 * - `signature`: none of the issuer's keys made it.
 * - `claims`: of another issuer, for another audience, not yet valid, of another type, or without a usable subject.
 * - `scope`: good, but not for this.
 * - `unavailable`: the issuer's keys or the token file cannot be had, so nobody can be told apart.
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

/** The message goes to the caller: it says what to do, and holds nothing of the token. */
export class AuthError extends OAuthError {
  readonly reason: AuthReason;
  /** Of a `scope` failure: what a token needs. */
  readonly scopes: readonly string[];

  constructor(
    reason: AuthReason,
    message: string,
    options: { readonly scopes?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(CODES[reason] ?? OAuthErrorCode.InvalidToken, message);
    this.name = 'AuthError';
    this.reason = reason;
    this.scopes = options.scopes ?? [];
    if (options.cause !== undefined) this.cause = options.cause;
  }
}
