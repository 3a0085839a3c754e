/** Which JWTs are valid access tokens for this server. */

import { createHmac, randomBytes } from 'node:crypto';
import { exportSPKI, importJWK, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuerFetch, issuerKeys } from '../../../../extensions/http/auth/issuer.ts';
import { type JwtVerifierOptions, jwtVerifier } from '../../../../extensions/http/auth/jwt-verifier.ts';
import { type Claims, type IssuerServer, issuerServer, type Signing } from './issuer-server.ts';

let issuer: IssuerServer;
let other: IssuerServer;
const logged: string[] = [];
beforeAll(async () => {
  [issuer, other] = await Promise.all([issuerServer(), issuerServer()]);
});
afterAll(() => Promise.all([issuer.close(), other.close()]));

const verifier = (options: Partial<JwtVerifierOptions> = {}) =>
  jwtVerifier({
    issuer: issuer.issuer,
    audience: issuer.audience,
    requiredScopes: [],
    keys: issuerKeys({
      issuer: issuer.issuer,
      fetch: issuerFetch({ privateOrigins: [issuer.origin], now: () => performance.now() }),
      cooldownMs: 0,
    }),
    now: () => new Date(),
    log: (message) => logged.push(message),
    ...options,
  });

describe('a token', () => {
  it.each([undefined, 'RS256', 'PS256', 'ES384', 'EdDSA'])('signed with %s is accepted', async (alg) => {
    await issuer.rotate(alg);
    const token = await issuer.token({ sub: 'alice', scope: 'skills metrics' });
    expect(await verifier()(token)).toMatchObject({
      clientId: 'alice',
      scopes: ['skills', 'metrics'],
      extra: { principal: { id: 'alice', scopes: ['skills', 'metrics'] } },
    });
  });

  it.each<[what: string, claims: Claims, signing: Signing, reason: string]>([
    ['that has expired', { expiresIn: -60 }, {}, 'expired'],
    ['that never expires', { expiresIn: null }, {}, 'claims'],
    ['that is not yet valid', { notBefore: 120 }, {}, 'claims'],
    ['for another audience', { aud: 'https://other.example/mcp' }, {}, 'claims'],
    ['for an audience that only starts like ours', { aud: 'https://skills.example/mcp2' }, {}, 'claims'],
    ['of another issuer', { iss: 'https://issuer.example' }, {}, 'claims'],
    ['of another type', {}, { typ: 'logout+jwt' }, 'claims'],
    ['that proves possession', {}, { typ: 'dpop+jwt' }, 'claims'],
    ['without a subject', { sub: null }, {}, 'claims'],
    ['that names the local user', { sub: 'local' }, {}, 'claims'],
    ['whose name means a scope', { sub: 'scope:admin' }, {}, 'claims'],
    ['whose name is a pattern', { sub: '*' }, {}, 'claims'],
    ['whose name has control characters', { sub: 'a\nb' }, {}, 'claims'],
    ['whose name has invisible characters', { sub: 'ali\u202ece' }, {}, 'claims'],
    ['whose name has a space around it', { sub: 'alice ' }, {}, 'claims'],
    ['whose name is too long', { sub: 'a'.repeat(257) }, {}, 'claims'],
    ['that names an unknown key', {}, { kid: 'nowhere' }, 'signature'],
  ])('%s is refused', async (_, claims, signing, reason) => {
    await issuer.rotate();
    await expect(verifier()(await issuer.token(claims, signing))).rejects.toMatchObject({ reason });
  });

  it('within the clock tolerance is accepted', async () => {
    await issuer.rotate();
    await verifier()(await issuer.token({ expiresIn: -10 }));
    await verifier()(await issuer.token({ notBefore: 10 }));
  });

  it('without a signature is refused', async () => {
    const token = new UnsecuredJWT({ sub: 'alice' })
      .setIssuer(issuer.issuer)
      .setAudience(issuer.audience)
      .setExpirationTime('5m')
      .encode();
    await expect(verifier()(token)).rejects.toMatchObject({ reason: 'algorithm' });
    const body = Buffer.from(JSON.stringify({ sub: 'alice' })).toString('base64url');
    for (const alg of ['None', 'nOnE', '']) {
      const head = Buffer.from(JSON.stringify({ alg })).toString('base64url');
      await expect(verifier()(`${head}.${body}.`)).rejects.toMatchObject({
        reason: expect.stringMatching(/algorithm|malformed/),
      });
    }
  });

  it('signed with the public key as a shared secret is refused', async () => {
    await issuer.rotate('RS256');
    const key = issuer.publicKey()!;
    const imported = await importJWK(key, 'RS256', { extractable: true });
    if (imported instanceof Uint8Array) throw new Error('A public key was expected.');
    for (const secret of [await exportSPKI(imported), JSON.stringify(key), key.n ?? '']) {
      const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: key.kid, typ: 'at+jwt' })).toString(
        'base64url',
      );
      const now = Math.floor(Date.now() / 1_000);
      const claims = { sub: 'mallory', iss: issuer.issuer, aud: issuer.audience, exp: now + 300 };
      const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      await expect(verifier()(`${signed}.${signature}`)).rejects.toMatchObject({ reason: 'algorithm' });
    }
  });

  it('signed with a foreign key is refused', async () => {
    await Promise.all([issuer.rotate(), other.rotate()]);
    const forged = await other.token({ iss: issuer.issuer }, { kid: issuer.publicKey()!.kid! });
    await expect(verifier()(forged)).rejects.toMatchObject({ reason: 'signature' });
    const good = await issuer.token();
    const [head, , signature] = good.split('.');
    const claims = Buffer.from(JSON.stringify({ sub: 'root' })).toString('base64url');
    await expect(verifier()(`${head}.${claims}.${signature}`)).rejects.toMatchObject({ reason: 'signature' });
  });

  it('that is not a JWT is refused without parsing', async () => {
    for (const token of [
      '',
      'abc',
      'a.b',
      'a.b.c',
      'a.b.c.d',
      '...',
      'x'.repeat(10_000),
      randomBytes(64).toString('hex'),
    ])
      await expect(verifier()(token)).rejects.toMatchObject({ reason: 'malformed' });
  });
});

describe('a rotation of keys', () => {
  it('replaces the keys: the new key is accepted, the old one is not', async () => {
    await issuer.rotate();
    const verify = verifier();
    const before = await issuer.token();
    await verify(before);
    await issuer.rotate();
    await verify(await issuer.token());
    await expect(verify(before)).rejects.toMatchObject({ reason: 'signature' });
  });

  it('to keys without ids works by trying them', async () => {
    await issuer.unnamed();
    expect(await verifier()(await issuer.token())).toMatchObject({ clientId: 'alice' });
    const forged = await other.token({ iss: issuer.issuer }, { kid: 'any' });
    await expect(verifier()(forged)).rejects.toMatchObject({ reason: 'signature' });
    await issuer.rotate();
  });
});

describe('scopes and names', () => {
  it('are read in all common forms', async () => {
    await issuer.rotate();
    const of = async (claims: Claims) => (await verifier()(await issuer.token(claims))).scopes;
    expect(await of({ scope: 'a b' })).toEqual(['a', 'b']);
    expect(await of({ scp: ['a', 'b'] })).toEqual(['a', 'b']);
    expect(await of({ scp: 'a b' })).toEqual(['a', 'b']);
    expect(await of({ scp: [1, null, 'a'] })).toEqual(['a']);
    expect(await of({})).toEqual([]);
  });

  it('a missing scope is refused, and named', async () => {
    const verify = verifier({ requiredScopes: ['skills', 'team-a'] });
    await expect(verify(await issuer.token({ scope: 'skills' }))).rejects.toMatchObject({
      reason: 'scope',
      message: expect.stringContaining('team-a'),
    });
    await verify(await issuer.token({ scope: 'team-a skills more' }));
  });
});

describe('an issuer that cannot be reached', () => {
  it('makes tokens unverifiable, not invalid, and is logged once', async () => {
    logged.length = 0;
    const gone = await issuerServer();
    const token = await gone.token();
    await gone.close();
    const verify = verifier({
      issuer: gone.issuer,
      keys: issuerKeys({
        issuer: gone.issuer,
        fetch: issuerFetch({ privateOrigins: [gone.origin], now: () => performance.now() }),
      }),
    });
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(verify(token)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(logged).toEqual([expect.stringContaining('Access tokens cannot be checked')]);
    expect(logged[0]).not.toContain(token);
  });
});
