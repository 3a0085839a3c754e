/**
 * Whose an access token of the issuer is: a JWT (RFC 9068 in spirit) that the issuer signed, for this server, now.
 * Signatures are made by key pairs only: a shared secret, or none at all, would let whoever knows the public key in.
 */

import type { AuthInfo } from '@modelcontextprotocol/server';
import {
  type CryptoKey,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { AuthError } from './errors.ts';
import { authInfoOf } from './identity.ts';
import { IssuerError } from './issuer-fetch.ts';
import type { Verify } from './token-verifier.ts';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].concat([
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);
/** How far clocks may differ, s. */
const CLOCK_TOLERANCE_S = 30;
/** Types of access tokens; many issuers still write the general one. Others are for other uses. */
const TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt']);
/** Longest token, characters: headers end at 16 KiB in any case. */
const MAX_CHARACTERS = 8_192;
/** Longest name of a principal, characters; logs hold it. */
const MAX_ID_CHARACTERS = 256;

export interface JwtVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Every token needs them. */
  readonly requiredScopes: readonly string[];
  /** Claim that names the principal. */
  readonly principalClaim: string;
  readonly keys: JWTVerifyGetKey;
  readonly now: () => Date;
  readonly log: (message: string) => void;
}

/** Rejects with `AuthError`. */
export function jwtVerifier(options: JwtVerifierOptions): Verify {
  let complaint = '';
  return async (token): Promise<AuthInfo> => {
    if (token.length > MAX_CHARACTERS || token.split('.').length !== 3)
      throw new AuthError('malformed', 'The token is neither one of skillgate nor a JWT.');
    try {
      const identity = identityOf(await payloadOf(token, options), options);
      complaint = '';
      return authInfoOf({ token, ...identity });
    } catch (error) {
      const failure = failureOf(error);
      if (failure.reason === 'unavailable' && failure.message !== complaint)
        options.log(
          `Access tokens cannot be checked: ${error instanceof Error ? error.message : String(error)}`,
        );
      complaint = failure.reason === 'unavailable' ? failure.message : complaint;
      throw failure;
    }
  };
}

async function payloadOf(token: string, { issuer, audience, keys, now }: JwtVerifierOptions) {
  const checks: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    issuer,
    audience,
    clockTolerance: CLOCK_TOLERANCE_S,
    requiredClaims: ['exp'],
    currentDate: now(),
  };
  const verify = async () => {
    try {
      return await jwtVerify(token, keys, checks);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return await byAnyOf(error, (key) => jwtVerify(token, key, checks));
    }
  };
  const { payload, protectedHeader } = await verify();
  if (protectedHeader.typ !== undefined && !TYPES.has(protectedHeader.typ.toLowerCase()))
    throw new AuthError('claims', 'The token is of another type than an access token.');
  return payload;
}

/** Keys without names, among which the header does not choose: the one that fits is found by trying. */
async function byAnyOf<Result>(
  candidates: errors.JWKSMultipleMatchingKeys,
  verify: (key: CryptoKey) => Promise<Result>,
): Promise<Result> {
  for await (const key of candidates) {
    try {
      return await verify(key);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function identityOf(payload: JWTPayload, { principalClaim, requiredScopes }: JwtVerifierOptions) {
  const id = payload[principalClaim];
  if (typeof id !== 'string' || !isUsable(id))
    throw new AuthError('claims', `The token names nobody: its claim ${principalClaim} cannot be used.`);
  const scopes = scopesOf(payload);
  const lacking = requiredScopes.filter((scope) => !scopes.includes(scope));
  if (lacking.length > 0)
    throw new AuthError('scope', `The token lacks the scope ${lacking.join(' ')}.`, {
      scopes: requiredScopes,
    });
  // The SDK knows of no tolerance.
  return { id, scopes, expiresAt: (payload.exp ?? 0) + CLOCK_TOLERANCE_S };
}

/** No name that means something else to a policy: the person at this machine, or whoever has a scope. */
const isUsable = (id: string) =>
  id !== '' &&
  id.length <= MAX_ID_CHARACTERS &&
  id !== 'local' &&
  !id.startsWith('scope:') &&
  !/[\p{Cc}*]/u.test(id);

/** `scope` is a list in one string (RFC 9068); some issuers write `scp`, as either. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp;
  const all = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return all.filter((part): part is string => typeof part === 'string' && part !== '');
}

function failureOf(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const failure = (reason: AuthError['reason'], message: string) =>
    new AuthError(reason, message, { cause: error });
  if (error instanceof errors.JWTExpired) return failure('expired', 'The token is expired.');
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return failure('algorithm', 'The token is signed by an algorithm that is not allowed.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return failure('claims', `The token is not meant for here: its claim ${error.claim} does not fit.`);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
    return failure('signature', 'The token is not signed by a key of the issuer.');
  if (
    error instanceof IssuerError ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid
  )
    return failure('unavailable', 'Tokens cannot be checked at the moment.');
  if (error instanceof errors.JOSEError) return failure('malformed', 'The token is not a usable JWT.');
  return failure('unavailable', 'Tokens cannot be checked at the moment.');
}
