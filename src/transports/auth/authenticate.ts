/**
 * Who sends a request: the bearer token in its header, checked by whichever of the two kinds it is. The wire form of
 * refusals, challenges and metadata is the SDK's; what makes a token good is that of the two verifiers.
 */

import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { AuthError, type AuthReason } from './errors.ts';
import { issuerKeys } from './issuer.ts';
import { issuerFetch } from './issuer-fetch.ts';
import { jwtVerifier } from './jwt-verifier.ts';
import { tokenVerifier, type Verify } from './token-verifier.ts';
import { isOurToken } from './tokens.ts';

/** What the configuration says of authentication. */
export interface AuthSettings {
  /** File of hashed tokens, absolute. */
  readonly tokens?: string | undefined;
  readonly oauth?:
    | {
        readonly issuer: string;
        readonly audience: string;
        readonly jwksUri?: string | undefined;
        readonly requiredScopes: readonly string[];
        readonly principalClaim: string;
        readonly allowPrivate: boolean;
      }
    | undefined;
}

export const hasAuth = (settings: AuthSettings): boolean =>
  settings.tokens !== undefined || settings.oauth !== undefined;

/** A caller that is not let in: what to answer, and why for the counters. */
export interface Refusal {
  readonly reason: AuthReason;
  readonly response: Response;
}

export interface Authenticator {
  /** Who sent this `Authorization` header, with at least these scopes. */
  admit(
    header: string | undefined,
    scopes?: readonly string[],
  ): Promise<{ readonly authInfo: AuthInfo } | Refusal>;
}

export interface AuthenticatorOptions {
  readonly settings: AuthSettings;
  /** The MCP endpoint as clients call it. */
  readonly resource: URL;
  readonly now: () => Date;
  readonly log: (message: string) => void;
}

/** Whoever cannot be told apart comes back after this time, s. */
const UNAVAILABLE_RETRY_S = 10;

export function authenticator({ settings, resource, now, log }: AuthenticatorOptions): Authenticator {
  const verifyAccessToken = verifierOf(settings, { now, log });
  const resourceMetadataUrl =
    settings.oauth === undefined ? undefined : getOAuthProtectedResourceMetadataUrl(resource);
  const challenge = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  const always = settings.oauth?.requiredScopes ?? [];
  return {
    async admit(header, scopes = []) {
      try {
        const options = { verifier: { verifyAccessToken }, requiredScopes: [...scopes], ...challenge };
        return { authInfo: await verifyBearerToken(header, options) };
      } catch (error) {
        const reason = reasonOf(error, header);
        if (reason === 'unavailable') return { reason, response: unavailable(error) };
        // Of a step-up all scopes are named that the next token needs.
        const needed = [...new Set([...always, ...scopes])];
        return {
          reason,
          response: bearerAuthChallengeResponse(error, { requiredScopes: needed, ...challenge }),
        };
      }
    },
  };
}

function verifierOf(
  { tokens, oauth }: AuthSettings,
  rest: { readonly now: () => Date; readonly log: (message: string) => void },
): Verify {
  const ours = tokens === undefined ? undefined : tokenVerifier({ file: tokens, ...rest });
  const theirs =
    oauth === undefined
      ? undefined
      : jwtVerifier({
          ...oauth,
          ...rest,
          keys: issuerKeys({
            issuer: oauth.issuer,
            jwksUri: oauth.jwksUri,
            fetch: issuerFetch({ allowPrivate: oauth.allowPrivate, now: () => rest.now().getTime() }),
          }),
        });
  return async (token) => {
    const verify = isOurToken(token) ? ours : theirs;
    if (verify === undefined) throw new AuthError('malformed', 'Tokens of this kind are not taken here.');
    return verify(token);
  };
}

function reasonOf(error: unknown, header: string | undefined): AuthReason {
  if (error instanceof AuthError) return error.reason;
  if (!(error instanceof OAuthError)) return 'unavailable';
  if (error.code === OAuthErrorCode.InsufficientScope) return 'scope';
  return header === undefined || header === '' ? 'missing' : 'malformed';
}

const unavailable = (error: unknown) =>
  Response.json(
    {
      error: 'temporarily_unavailable',
      error_description:
        error instanceof AuthError ? error.message : 'Tokens cannot be checked at the moment.',
    },
    { status: 503, headers: { 'retry-after': String(UNAVAILABLE_RETRY_S) } },
  );
