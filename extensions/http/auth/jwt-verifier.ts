/**
 * Verifies access tokens of the issuer: JWTs (similar to RFC 9068) with a valid signature, audience and time. Only
 * asymmetric signatures are accepted: with a shared secret or `none`, anyone who knows the public key could sign.
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
import { errorMessage } from '../../../src/base/errors.ts';
import { AuthError } from './errors.ts';
import { IssuerError, issuerFetch, issuerKeys } from './issuer.ts';
import { toAuthInfo, type Verify } from './token-verifier.ts';

export interface OAuthSettings {
  /** Must equal the claim `iss`. */
  readonly issuer: string;
  /** The claim `aud` must contain it. */
  readonly audience: string;
  /** Required of every token. */
  readonly requiredScopes: readonly string[];
  /** Allows an issuer in a private network and without TLS. */
  readonly allowPrivate: boolean;
}

export function oauthVerifier(
  settings: OAuthSettings,
  context: { readonly now: () => Date; readonly log: (message: string) => void },
): Verify {
  const { issuer, allowPrivate } = settings;
  const privateOrigins = allowPrivate ? [new URL(issuer).origin] : [];
  const fetch = issuerFetch({ privateOrigins, now: () => context.now().getTime() });
  return jwtVerifier({ ...settings, ...context, keys: issuerKeys({ issuer, fetch }) });
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].concat([
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);
/** Accepted clock difference, s. */
const CLOCK_TOLERANCE_S = 30;
/** Accepted token types; many issuers still write the general `jwt`. Other types have other uses. */
const TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt']);
/** Longest token, characters; all headers together may have 16 KiB. */
const MAX_CHARACTERS = 8_192;
/** Longest name of a principal, characters, because logs contain it. */
const MAX_ID_CHARACTERS = 256;

export interface JwtVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Required of every token. */
  readonly requiredScopes: readonly string[];
  readonly keys: JWTVerifyGetKey;
  readonly now: () => Date;
  readonly log: (message: string) => void;
}

/** Rejects with `AuthError`. */
export function jwtVerifier(options: JwtVerifierOptions): Verify {
  let lastLogged = '';
  return async (token): Promise<AuthInfo> => {
    if (token.length > MAX_CHARACTERS || token.split('.').length !== 3)
      throw new AuthError('malformed', 'The token is neither a skillgate token nor a JWT.');
    try {
      const identity = toIdentity(await verifyPayload(token, options), options);
      lastLogged = '';
      return toAuthInfo({ token, ...identity });
    } catch (error) {
      const failure = toAuthError(error);
      if (failure.reason === 'unavailable' && failure.message !== lastLogged) {
        options.log(`Access tokens cannot be checked: ${errorMessage(error)}`);
        lastLogged = failure.message;
      }
      throw failure;
    }
  };
}

async function verifyPayload(token: string, { issuer, audience, keys, now }: JwtVerifierOptions) {
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
      return await tryKeys(error, (key) => jwtVerify(token, key, checks));
    }
  };
  const { payload, protectedHeader } = await verify();
  if (protectedHeader.typ !== undefined && !TYPES.has(protectedHeader.typ.toLowerCase()))
    throw new AuthError('claims', 'The token is not an access token.');
  return payload;
}

/** Keys without ids, so the token's header cannot select one: tries all of them. */
async function tryKeys<Result>(
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

function toIdentity(payload: JWTPayload, { requiredScopes }: JwtVerifierOptions) {
  const id = payload.sub;
  if (typeof id !== 'string' || !isUsable(id))
    throw new AuthError(
      'claims',
      `The token names no usable principal: its claim sub is missing or not allowed.`,
    );
  const scopes = readScopes(payload);
  const missing = requiredScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) throw new AuthError('scope', `The token lacks the scope ${missing.join(' ')}.`);
  // The SDK compares without a tolerance, so it is added here.
  return { id, scopes, expiresAt: (payload.exp ?? 0) + CLOCK_TOLERANCE_S };
}

/** False for names with another meaning in a policy, the local user and `scope:` patterns, and for those that look like another. */
const isUsable = (id: string) =>
  id !== '' &&
  id.length <= MAX_ID_CHARACTERS &&
  id !== 'local' &&
  !id.startsWith('scope:') &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}*]|^\s|\s$/u.test(id);

/** `scope` is a space-separated list (RFC 9068). Some issuers write `scp`, as a string or a list. */
function readScopes({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp;
  const all = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return all.filter((each): each is string => typeof each === 'string' && each !== '');
}

function toAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const failure = (reason: AuthError['reason'], message: string) =>
    new AuthError(reason, message, { cause: error });
  if (error instanceof errors.JWTExpired) return failure('expired', 'The token is expired.');
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return failure('algorithm', 'The token is signed with an algorithm that is not allowed.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return failure('claims', `The token is not valid here: its claim ${error.claim} does not match.`);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
    return failure('signature', 'The token is not signed with a key of the issuer.');
  if (
    error instanceof IssuerError ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid
  )
    return failure('unavailable', 'Tokens cannot be checked at the moment.');
  if (error instanceof errors.JOSEError) return failure('malformed', 'The token is not a usable JWT.');
  return failure('unavailable', 'Tokens cannot be checked at the moment.');
}
