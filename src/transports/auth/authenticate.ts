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
import type { OAuthSettings } from './oauth.ts';
import { tokenVerifier, type Verify } from './token-verifier.ts';
import { isOurToken } from './tokens.ts';

/** What the configuration says of authentication. */
export interface AuthSettings {
  /** File of hashed tokens, absolute. */
  readonly tokens?: string | undefined;
  readonly oauth?: OAuthSettings | undefined;
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
  /** The MCP endpoint as clients call it; asked for with each answer. */
  readonly resource: () => URL;
  readonly now: () => Date;
  readonly log: (message: string) => void;
}

/** Whoever cannot be told apart comes back after this time, s. */
const UNAVAILABLE_RETRY_S = 10;

export async function authenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { settings, resource, now, log } = options;
  const verifyAccessToken = await verifierOf(settings, { now, log });
  const challengeOf = () =>
    settings.oauth === undefined
      ? {}
      : { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource()) };
  const always = settings.oauth?.requiredScopes ?? [];
  return {
    async admit(header, scopes = []) {
      const challenge = challengeOf();
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

async function verifierOf(
  { tokens, oauth }: AuthSettings,
  rest: { readonly now: () => Date; readonly log: (message: string) => void },
): Promise<Verify> {
  const ours = tokens === undefined ? undefined : tokenVerifier({ file: tokens, ...rest });
  // Its packages are loaded where an issuer is configured.
  const theirs = oauth === undefined ? undefined : (await import('./oauth.ts')).oauthVerifier(oauth, rest);
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
