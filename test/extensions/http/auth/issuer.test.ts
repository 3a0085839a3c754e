/** Finding an issuer's keys, safe against wrong metadata, private addresses and floods. */

import { beforeEach, describe, expect, it } from 'vitest';
import { issuerFetch, issuerKeys, metadataUrls } from '../../../../extensions/http/auth/issuer.ts';
import { type IssuerServer, issuerServer } from './issuer-server.ts';

let issuer: IssuerServer;
let clock = 0;
beforeEach(async () => {
  clock = 0;
  issuer = await issuerServer({ path: '/tenant' });
});

const fetch = () => issuerFetch({ privateOrigins: [issuer.origin], now: () => clock });
const header = { alg: 'ES256', kid: 'key-1' };
const none = { payload: '', signature: '' };

describe('metadataUrls', () => {
  it('are the URLs of the MCP authorization specification, in its order', () => {
    expect(metadataUrls('https://issuer.example')).toEqual([
      'https://issuer.example/.well-known/oauth-authorization-server',
      'https://issuer.example/.well-known/openid-configuration',
    ]);
    expect(metadataUrls('https://issuer.example/tenant/')).toEqual([
      'https://issuer.example/.well-known/oauth-authorization-server/tenant',
      'https://issuer.example/.well-known/openid-configuration/tenant',
      'https://issuer.example/tenant/.well-known/openid-configuration',
    ]);
  });
});

describe('issuerKeys', () => {
  it('come from the URL in the metadata, fetched once for many tokens', async () => {
    const keys = issuerKeys({ issuer: issuer.issuer, fetch: fetch() });
    for (let token = 0; token < 3; token++)
      expect(await keys(header, none)).toMatchObject({ type: 'public' });
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server/tenant', '/keys']);
  });

  it('are not read from metadata of another issuer', async () => {
    const other = `${issuer.origin}/other`;
    issuer.behave((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: issuer.issuer, jwks_uri: `${issuer.origin}/keys` }));
      return true;
    });
    const keys = issuerKeys({ issuer: other, fetch: fetch() });
    await expect(keys(header, none)).rejects.toThrow(`not of ${other}`);
    expect(issuer.asked).not.toContain('/keys');
  });

  it('are fetched again for an unknown key id, but not for every one', async () => {
    const keys = issuerKeys({ issuer: issuer.issuer, fetch: fetch() });
    await keys(header, none);
    for (let token = 0; token < 20; token++)
      await expect(keys({ alg: 'ES256', kid: `made-up-${token}` }, none)).rejects.toThrow();
    expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(1);
    const impatient = issuerKeys({ issuer: issuer.issuer, fetch: fetch(), cooldownMs: 0 });
    await impatient(header, none);
    await issuer.rotate();
    expect(await impatient({ alg: 'ES256', kid: 'key-2' }, none)).toMatchObject({ type: 'public' });
  });

  it('are fetched again after a failure, but not immediately', async () => {
    issuer.behave((_, response) => {
      response.writeHead(500).end();
      return true;
    });
    const keys = issuerKeys({ issuer: issuer.issuer, fetch: fetch() });
    for (let token = 0; token < 5; token++)
      await expect(keys(header, none)).rejects.toThrow('answers with status 500');
    expect(issuer.asked).toHaveLength(3);
    issuer.behave(null);
    await expect(keys(header, none)).rejects.toThrow('status 500');
    clock += 10_000;
    expect(await keys(header, none)).toMatchObject({ type: 'public' });
  });
});

describe.each(['<html>', '[]', '{"keys":[null]}', '{"issuer":1,"jwks_uri":"x"}'])(
  'a document that holds %s',
  (text) => {
    it.each(['keys', 'metadata'])(
      'in the place of the %s is asked for once in ten seconds, whatever tokens come',
      async (place) => {
        issuer.behave((request, response) => {
          if (request.url?.includes('.well-known') === (place === 'keys')) return false;
          response.end(text);
          return true;
        });
        const keys = issuerKeys({ issuer: issuer.issuer, fetch: fetch() });
        for (let token = 0; token < 5; token++)
          await expect(keys(header, none)).rejects.toMatchObject({ name: 'IssuerError' });
        expect(new Set(issuer.asked).size).toBe(issuer.asked.length);
        issuer.behave(null);
        clock += 10_000;
        expect(await keys(header, none)).toMatchObject({ type: 'public' });
      },
    );
  },
);

describe('issuerFetch', () => {
  const fetch = () => {
    const asked = issuerFetch({ privateOrigins: [issuer.origin], now: () => clock });
    return (url: string) => asked(url, (text) => text);
  };

  it('refuses private addresses and plain HTTP unless allowed', async () => {
    const strict = issuerFetch({ privateOrigins: [], now: () => clock });
    await expect(strict(issuer.issuer, (text) => text)).rejects.toThrow('is not HTTPS');
    for (const url of [
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/',
      'https://10.0.0.1/',
      'https://localhost/',
    ])
      await expect(strict(url, (text) => text)).rejects.toThrow('is a private address');
    expect(issuer.asked).toEqual([]);
  });

  it('follows no redirects', async () => {
    issuer.behave((request, response) => {
      if (request.url !== '/moved') return false;
      response.writeHead(302, { location: '/keys' }).end();
      return true;
    });
    await expect(fetch()(`${issuer.origin}/moved`)).rejects.toThrow('redirects');
    expect(issuer.asked).toEqual(['/moved']);
  });

  it('refuses a document that is too large', async () => {
    issuer.behave((_, response) => {
      response.writeHead(200);
      // The document never ends: the download must stop at the limit.
      response.write('x'.repeat(300_000));
      return true;
    });
    await expect(fetch()(`${issuer.origin}/keys`)).rejects.toThrow('more than 262144 bytes');
  });
});
