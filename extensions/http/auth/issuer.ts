/**
 * An issuer's keys: found through its metadata, fetched, cached, and fetched again if a token names an unknown key (a
 * rotation). Its documents are small, fetched with a short timeout, over HTTPS, from a public address, without redirects,
 * and with a pause after a failure; `extensions/net/` checks the addresses.
 */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { CodedError, errorMessage } from '../../../src/base/errors.ts';
import { parseJson } from '../../../src/base/json.ts';
import { collectBytes, download } from '../../net/download.ts';
import { openGuard } from '../../net/guarded-fetch.ts';

/** Largest document, bytes: key sets have a few kilobytes. */
const MAX_BYTES = 256 * 2 ** 10;
/** Longest time for one document, ms: a caller is waiting. */
const TIMEOUT_MS = 5_000;
/** Pause after a failure, ms: bad tokens must not cause a flood of requests to the issuer. */
const PAUSE_MS = 10_000;

/**
 * - `ISSUER_UNAVAILABLE`: a document cannot be fetched.
 * - `ISSUER_METADATA`: no usable metadata of the issuer was found.
 */
type IssuerErrorCode = 'ISSUER_UNAVAILABLE' | 'ISSUER_METADATA';

/** The message is one sentence for the operator. */
export class IssuerError extends CodedError<IssuerErrorCode> {
  override readonly name = 'IssuerError';
}

interface IssuerFetchOptions {
  /** Origins that may be private and without TLS, for an issuer in the operator's network. */
  readonly privateOrigins: readonly string[];
  /** Milliseconds, monotonic or not. */
  readonly now: () => number;
}

/** Fetches a document and reads it. Rejects with `IssuerError`; a document that cannot be read is a failure too. */
export type IssuerFetch = <Document>(url: string, read: (text: string) => Document) => Promise<Document>;

export function issuerFetch({ privateOrigins, now }: IssuerFetchOptions): IssuerFetch {
  const failed = new Map<string, { readonly at: number; readonly error: IssuerError }>();
  return async (address, read) => {
    const earlier = failed.get(address);
    if (earlier !== undefined && now() - earlier.at < PAUSE_MS) throw earlier.error;
    try {
      const found = read(await document(new URL(address), privateOrigins));
      failed.delete(address);
      return found;
    } catch (cause) {
      const error = new IssuerError('ISSUER_UNAVAILABLE', errorMessage(cause), { cause });
      failed.set(address, { at: now(), error });
      throw error;
    }
  };
}

/** Closes its connection: keys are fetched every ten minutes, and an idle connection would delay the process's end. */
async function document(url: URL, privateOrigins: readonly string[]): Promise<string> {
  const guard = openGuard({ privateOrigins });
  try {
    const answer = await download((asked, init) => guard.fetch(asked, { ...init, redirect: 'error' }), url, {
      headers: { accept: 'application/json' },
      maxBytes: MAX_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return Buffer.from(await collectBytes(answer)).toString('utf8');
  } finally {
    await guard.close();
  }
}

/** Least time between two fetches of keys because of an unknown key, ms. */
const COOLDOWN_MS = 30_000;
/** Keys expire after this time, ms, so that a withdrawn key is no longer accepted. */
const KEYS_AGE_MS = 600_000;

const metadataSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keysSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

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
      [customFetch]: async (url) => new Response(await fetch(url, (text) => requireKeys(text, url))),
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
      return await fetch(url, (text) => readKeysUrl(text, url, issuer));
    } catch (error) {
      last = error;
    }
  }
  throw new IssuerError(
    'ISSUER_METADATA',
    `The metadata of ${issuer} is not available. Last attempt: ${errorMessage(last)}`,
    { cause: last },
  );
}

function readKeysUrl(text: string, url: string, issuer: string): string {
  const { success, data } = metadataSchema.safeParse(parseJson(text));
  if (!success) throw new IssuerError('ISSUER_METADATA', `${url} is no metadata of an issuer.`);
  if (data.issuer === issuer) return data.jwks_uri;
  const message = `${url} is the metadata of the issuer ${data.issuer}, not of ${issuer}.`;
  throw new IssuerError('ISSUER_METADATA', message);
}

/** The text, if it is a set of keys: jose would fetch what it cannot read again for every token. */
function requireKeys(text: string, url: string): string {
  if (keysSchema.safeParse(parseJson(text)).success) return text;
  throw new IssuerError('ISSUER_METADATA', `${url} is no set of keys (JWKS).`);
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
