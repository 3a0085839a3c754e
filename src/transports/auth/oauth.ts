/** An issuer as it is configured, put together: its metadata and keys, fetched as told, check its tokens. */

import { issuerKeys } from './issuer.ts';
import { issuerFetch } from './issuer-fetch.ts';
import { jwtVerifier } from './jwt-verifier.ts';
import type { Verify } from './token-verifier.ts';

export interface OAuthSettings {
  /** As it stands in `iss`. */
  readonly issuer: string;
  /** What `aud` must hold. */
  readonly audience: string;
  /** Default: from the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  /** Every token needs them. */
  readonly requiredScopes: readonly string[];
  /** Claim that names the principal. */
  readonly principalClaim: string;
  /** The issuer may be in one's own network, and without TLS. */
  readonly allowPrivate: boolean;
}

export function oauthVerifier(
  settings: OAuthSettings,
  rest: { readonly now: () => Date; readonly log: (message: string) => void },
): Verify {
  const { issuer, jwksUri, allowPrivate } = settings;
  // Only what the operator wrote is trusted so far; keys that are elsewhere take `jwksUri`.
  const written = [issuer, ...(jwksUri === undefined ? [] : [jwksUri])];
  const privateOrigins = allowPrivate ? written.map((url) => new URL(url).origin) : [];
  const fetch = issuerFetch({ privateOrigins, now: () => rest.now().getTime() });
  return jwtVerifier({ ...settings, ...rest, keys: issuerKeys({ issuer, jwksUri, fetch }) });
}
