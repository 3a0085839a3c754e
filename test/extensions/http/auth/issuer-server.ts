/** An authorization server on loopback, as a resource server sees it: metadata, keys, and signed tokens. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { listening } from '../../../src/serve/stdio/ask.ts';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface Claims {
  /** Null leaves it out. */
  readonly sub?: string | null;
  readonly scope?: string;
  readonly aud?: string;
  readonly iss?: string;
  /** Seconds from now; null leaves it out. */
  readonly expiresIn?: number | null;
  readonly notBefore?: number;
  readonly [claim: string]: unknown;
}

export interface Signing {
  readonly alg?: string;
  readonly kid?: string;
  readonly typ?: string;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

export async function issuerServer({ path = '', audience = 'https://skills.example/mcp' } = {}) {
  const asked: string[] = [];
  let keys: { readonly kid: string; readonly pair: Pair; readonly jwk: JWK }[] = [];
  let behave: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  let named = 0;

  const { url: origin, close } = await listening((request, response) => {
    asked.push(request.url ?? '');
    if (behave?.(request, response) === true) return;
    const json = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === `/.well-known/oauth-authorization-server${path}`)
      return json({
        issuer,
        jwks_uri: `${origin}/keys`,
        token_endpoint: `${origin}/token`,
        authorization_endpoint: `${origin}/authorize`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      });
    if (request.url === '/token') {
      let form = '';
      request.setEncoding('utf8').on('data', (text) => {
        form += text;
      });
      request.on('end', () => {
        const scope = new URLSearchParams(form).get('scope') ?? '';
        asked.push(`scope ${scope}`);
        token({ sub: 'agent', scope }).then((access_token) =>
          json({ access_token, token_type: 'Bearer', expires_in: 300, scope }),
        );
      });
      return;
    }
    if (request.url === '/keys') return json({ keys: keys.map(({ jwk }) => jwk) });
    response.writeHead(404).end();
  });
  const issuer = `${origin}${path}`;

  const newKey = async (alg = 'ES256') => {
    named += 1;
    const kid = `key-${named}`;
    const pair = await generateKeyPair(alg, { extractable: true });
    return { kid, pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } };
  };
  keys = [await newKey()];

  async function token(claims: Claims = {}, signing: Signing = {}): Promise<string> {
    const { sub = 'alice', expiresIn = 300, notBefore, aud, iss, ...payload } = claims;
    const current = keys.at(-1);
    if (current === undefined) throw new Error('The issuer has no key.');
    const named = 'kid' in current.jwk ? { kid: current.kid } : {};
    const { key = current.pair.privateKey, alg = String(current.jwk.alg), ...header } = signing;
    const jwt = new SignJWT({ ...payload, ...(sub === null ? {} : { sub }) })
      .setProtectedHeader({ alg, typ: 'at+jwt', ...named, ...header })
      .setIssuer(iss ?? issuer)
      .setAudience(aud ?? audience)
      .setIssuedAt();
    const now = Math.floor(Date.now() / 1_000);
    if (expiresIn !== null) jwt.setExpirationTime(now + expiresIn);
    if (notBefore !== undefined) jwt.setNotBefore(now + notBefore);
    return jwt.sign(key);
  }

  return {
    issuer,
    audience,
    origin,
    /** Requested paths. */
    asked,
    /** The public part of the current signing key. */
    publicKey: () => keys.at(-1)?.jwk,
    /** Handles a request itself if it returns true. */
    behave: (how: typeof behave) => {
      behave = how;
    },
    /** Switches to a new key and withdraws the old ones. */
    async rotate(alg?: string) {
      keys = [await newKey(alg)];
    },
    /** Keys without ids; the last one signs. */
    async unnamed() {
      const added = [await newKey(), await newKey()];
      keys = added.map(({ kid, pair, jwk }) => {
        const { kid: _, ...rest } = jwk;
        return { kid, pair, jwk: rest };
      });
    },
    token,
    close,
  };
}

export type IssuerServer = Awaited<ReturnType<typeof issuerServer>>;
