/**
 * Authenticates a request by its bearer token: a skillgate token or an access token of the issuer. The SDK writes
 * refusals and challenges; the two verifiers check the tokens.
 */

import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import type { TokenStore } from '../../../src/app/extension-api.ts';
import { AuthError, type AuthReason } from './errors.ts';
import type { OAuthSettings } from './jwt-verifier.ts';
import { tokenVerifier, type Verify } from './token-verifier.ts';
import { isOurToken } from './tokens.ts';

/** The configuration of authentication. */
export interface AuthSettings {
  /** File of hashed tokens, absolute; or where else they are kept. */
  readonly tokens?: string | TokenStore | undefined;
  readonly oauth?: OAuthSettings | undefined;
}

export const hasAuth = (settings: AuthSettings): boolean =>
  settings.tokens !== undefined || settings.oauth !== undefined;

/** A refused caller: the response, and the reason for the metrics. */
interface Refusal {
  readonly reason: AuthReason;
  readonly response: Response;
}

export interface Authenticator {
  /** The caller of an `Authorization` header, if its token has at least these scopes. */
  admit(
    header: string | undefined,
    scopes?: readonly string[],
  ): Promise<{ readonly authInfo: AuthInfo } | Refusal>;
  /** Whether an admitted caller's token is valid still: neither expired nor revoked. Never rejects. */
  isValid(authInfo: AuthInfo): Promise<boolean>;
}

interface AuthenticatorOptions {
  readonly settings: AuthSettings;
  /** The public URL of the MCP endpoint; read for each refusal. */
  readonly resource: () => URL;
  readonly now: () => Date;
  readonly log: (message: string) => void;
}

/** Retry-After if tokens cannot be checked, s. */
const UNAVAILABLE_RETRY_S = 10;

export async function authenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { settings, resource, now, log } = options;
  const verifyAccessToken = await chooseVerifier(settings, { now, log });
  const formatChallenge = () =>
    settings.oauth === undefined
      ? {}
      : { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource()) };
  const always = settings.oauth?.requiredScopes ?? [];
  return {
    async admit(header, scopes = []) {
      const challenge = formatChallenge();
      try {
        const options = { verifier: { verifyAccessToken }, requiredScopes: [...scopes], ...challenge };
        return { authInfo: await verifyBearerToken(header, options) };
      } catch (error) {
        const reason = toReason(error, header);
        if (reason === 'unavailable') return { reason, response: unavailable(error) };
        // A step-up challenge names all scopes that the next token needs.
        const needed = [...new Set([...always, ...scopes])];
        return {
          reason,
          response: bearerAuthChallengeResponse(error, { requiredScopes: needed, ...challenge }),
        };
      }
    },
    async isValid({ token, expiresAt = 0 }) {
      if (expiresAt * 1_000 <= now().getTime()) return false;
      // An issuer's token ends when it expires; it cannot be asked for more.
      if (!isOurToken(token)) return true;
      return verifyAccessToken(token).then(
        () => true,
        () => false,
      );
    },
  };
}

async function chooseVerifier(
  { tokens, oauth }: AuthSettings,
  context: { readonly now: () => Date; readonly log: (message: string) => void },
): Promise<Verify> {
  const ours = tokens === undefined ? undefined : tokenVerifier({ tokens, ...context });
  // Loads the OAuth packages only if an issuer is configured.
  const theirs =
    oauth === undefined ? undefined : (await import('./jwt-verifier.ts')).oauthVerifier(oauth, context);
  return async (token) => {
    const verify = isOurToken(token) ? ours : theirs;
    if (verify === undefined) throw new AuthError('malformed', 'Tokens of this kind are not accepted here.');
    return verify(token);
  };
}

function toReason(error: unknown, header: string | undefined): AuthReason {
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
