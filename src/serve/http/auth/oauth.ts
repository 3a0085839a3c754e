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
