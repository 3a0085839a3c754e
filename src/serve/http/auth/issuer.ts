/**
 * An issuer's keys: found through its metadata, fetched, cached, and fetched again if a token names an unknown key (a
 * rotation). `issuer-fetch.ts` limits rate and size.
 */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { messageOf } from '../../../base/errors.ts';
import { IssuerError, type IssuerFetch } from './issuer-fetch.ts';

/** Least time between two fetches of keys because of an unknown key, ms. */
const COOLDOWN_MS = 30_000;
/** Keys expire after this time, ms, so that a withdrawn key is no longer accepted. */
const KEYS_AGE_MS = 600_000;

const metadataSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

interface IssuerOptions {
  /** Must equal the claim `iss`. */
  readonly issuer: string;
  readonly fetch: IssuerFetch;
  /** Default 30 s. */
  readonly cooldownMs?: number;
}

/** The key function for jose. Rejects with `IssuerError` if the keys are unavailable. */
export function issuerKeys(options: IssuerOptions): JWTVerifyGetKey {
  const { fetch, cooldownMs = COOLDOWN_MS } = options;
  let opening: Promise<JWTVerifyGetKey> | null = null;
  const open = async () => {
    const uri = await discover(options.issuer, fetch);
    return createRemoteJWKSet(new URL(uri), {
      cooldownDuration: cooldownMs,
      cacheMaxAge: KEYS_AGE_MS,
      [customFetch]: async (url) => new Response(await fetch(url)),
    });
  };
  return async (header, token) => {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return (await opening)(header, token);
  };
}

/** `jwks_uri` of the metadata, which must name exactly this issuer (RFC 8414, section 3.3). */
async function discover(issuer: string, fetch: IssuerFetch): Promise<string> {
  let last: unknown;
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = metadataSchema.parse(JSON.parse(await fetch(url)));
      if (metadata.issuer !== issuer)
        throw new IssuerError(
          'ISSUER_METADATA',
          `${url} is the metadata of the issuer ${metadata.issuer}, not of ${issuer}.`,
        );
      return metadata.jwks_uri;
    } catch (error) {
      last = error;
    }
  }
  throw new IssuerError(
    'ISSUER_METADATA',
    `The metadata of ${issuer} is not available. Last attempt: ${messageOf(last)}`,
    { cause: last },
  );
}

/** In the order of the MCP authorization specification: OAuth, OpenID Connect by insertion, then by appending. */
export function metadataUrls(issuer: string): readonly string[] {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, '');
  const inserted = (name: string) => new URL(`/.well-known/${name}${path}`, url).href;
  const oauth = inserted('oauth-authorization-server');
  const openid = inserted('openid-configuration');
  return path === ''
    ? [oauth, openid]
    : [oauth, openid, new URL(`${path}/.well-known/openid-configuration`, url).href];
}
