/**
 * An issuer's keys: where its metadata says they are, fetched, kept and fetched again when a token names a key that is
 * not among them (a rotation). Rates and sizes are `issuer-fetch.ts`'s.
 */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { IssuerError, type IssuerFetch } from './issuer-fetch.ts';

/** After keys were fetched, an unknown key's name has them fetched again this much later at the earliest, ms. */
const COOLDOWN_MS = 30_000;
/** Keys are fetched again after this time in any case, ms: a key that was withdrawn is then no longer taken. */
const KEYS_AGE_MS = 600_000;

const metadataSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

export interface IssuerOptions {
  /** As it stands in `iss`. */
  readonly issuer: string;
  /** Where its keys are; default: what its metadata says. */
  readonly jwksUri?: string | undefined;
  readonly fetch: IssuerFetch;
  /** Default 30 s. */
  readonly cooldownMs?: number;
}

/** A key for a token's header, as jose asks for it. Rejects with `IssuerError` where keys cannot be had. */
export function issuerKeys(options: IssuerOptions): JWTVerifyGetKey {
  const { fetch, cooldownMs = COOLDOWN_MS } = options;
  let opening: Promise<JWTVerifyGetKey> | null = null;
  const open = async () => {
    const uri = options.jwksUri ?? (await discover(options.issuer, fetch));
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

/** `jwks_uri` of the metadata, which must be that of this very issuer (RFC 8414, section 3.3). */
async function discover(issuer: string, fetch: IssuerFetch): Promise<string> {
  let last: unknown;
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = metadataSchema.parse(JSON.parse(await fetch(url)));
      if (metadata.issuer !== issuer)
        throw new IssuerError(`${url} speaks of the issuer ${metadata.issuer}, not of ${issuer}.`);
      return metadata.jwks_uri;
    } catch (error) {
      last = error;
    }
  }
  const reason = last instanceof Error ? last.message : String(last);
  throw new IssuerError(`The metadata of ${issuer} cannot be had. Last tried: ${reason}`, { cause: last });
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
