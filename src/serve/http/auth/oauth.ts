/** A verifier for access tokens of the configured OAuth issuer, built from its metadata and keys. */

import { issuerKeys } from './issuer.ts';
import { issuerFetch } from './issuer-fetch.ts';
import { jwtVerifier } from './jwt-verifier.ts';
import type { Verify } from './token-verifier.ts';

export interface OAuthSettings {
  /** Must equal the claim `iss`. */
  readonly issuer: string;
  /** The claim `aud` must contain it. */
  readonly audience: string;
  /** Default: from the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  /** Required of every token. */
  readonly requiredScopes: readonly string[];
  /** The claim that names the principal. */
  readonly principalClaim: string;
  /** Allows an issuer in a private network and without TLS. */
  readonly allowPrivate: boolean;
}

export function oauthVerifier(
  settings: OAuthSettings,
  context: { readonly now: () => Date; readonly log: (message: string) => void },
): Verify {
  const { issuer, jwksUri, allowPrivate } = settings;
  // Only the configured origins are trusted: keys at another private origin need `jwksUri`.
  const configured = [issuer, ...(jwksUri === undefined ? [] : [jwksUri])];
  const privateOrigins = allowPrivate ? configured.map((url) => new URL(url).origin) : [];
  const fetch = issuerFetch({ privateOrigins, now: () => context.now().getTime() });
  return jwtVerifier({ ...settings, ...context, keys: issuerKeys({ issuer, jwksUri, fetch }) });
}
