/** Admitting callers, or challenging them. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthSettings, authenticator, hasAuth } from '../../../../extensions/http/auth/authenticate.ts';
import { createToken } from '../../../../extensions/http/auth/tokens.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { type IssuerServer, issuerServer } from './issuer-server.ts';

let folder: string;
let issuer: IssuerServer;
let token: string;
beforeAll(async () => {
  folder = temporaryFolder();
  issuer = await issuerServer();
  const making = { now: new Date(), random: randomBytes };
  token = await createToken(
    join(folder, 'tokens.json'),
    { name: 'ci', scopes: ['a'], expires: null },
    making,
  );
});
afterAll(() => issuer.close());

const tokens = () => join(folder, 'tokens.json');
const oauth = () => ({
  issuer: issuer.issuer,
  audience: issuer.audience,
  requiredScopes: ['skills'],
  allowPrivate: true,
});

const open = (settings: AuthSettings) =>
  authenticator({
    settings,
    resource: () => new URL('https://skills.example/mcp'),
    now: () => new Date(),
    log: () => {},
  });

/** The admitted caller, or the answer to a refused one. */
async function admitted(settings: AuthSettings, header: string | undefined, scopes: string[] = []) {
  const outcome = await (await open(settings)).admit(header, scopes);
  if ('authInfo' in outcome) return outcome.authInfo.clientId;
  const { reason, response } = outcome;
  return { reason, status: response.status, challenge: response.headers.get('www-authenticate') };
}

describe('authenticator', () => {
  it('admits tokens of both kinds, with the scheme in any case', async () => {
    const both = { tokens: tokens(), oauth: oauth() };
    expect(await admitted(both, `Bearer ${token}`)).toBe('ci');
    expect(await admitted(both, `bearer ${token}`)).toBe('ci');
    expect(await admitted(both, `Bearer ${await issuer.token({ scope: 'skills' })}`)).toBe('alice');
  });

  it('accepts only the configured kind', async () => {
    const jwt = await issuer.token({ scope: 'skills' });
    expect(await admitted({ tokens: tokens() }, `Bearer ${jwt}`)).toMatchObject({
      reason: 'malformed',
      status: 401,
    });
    expect(await admitted({ oauth: oauth() }, `Bearer ${token}`)).toMatchObject({
      reason: 'malformed',
      status: 401,
    });
    expect([hasAuth({}), hasAuth({ tokens: 'x' }), hasAuth({ oauth: oauth() })]).toEqual([false, true, true]);
  });

  it.each([
    [undefined, 'missing'],
    ['', 'missing'],
    ['Bearer', 'malformed'],
    ['Basic abc', 'malformed'],
    ['Bearer  two', 'malformed'],
  ])('says to %j that a token is %s', async (header, reason) => {
    expect(await admitted({ tokens: tokens() }, header)).toMatchObject({ reason, status: 401 });
  });

  it('names the resource metadata if there is an issuer', async () => {
    const document = 'resource_metadata="https://skills.example/.well-known/oauth-protected-resource/mcp"';
    expect(await admitted({ oauth: oauth() }, undefined)).toMatchObject({
      challenge: expect.stringContaining(document),
    });
    expect(await admitted({ tokens: tokens() }, undefined)).toMatchObject({
      challenge: expect.not.stringContaining('resource_metadata'),
    });
  });

  it('names every scope that the next token needs', async () => {
    const jwt = await issuer.token({ scope: 'skills' });
    const step = await admitted({ oauth: oauth() }, `Bearer ${jwt}`, ['metrics']);
    expect(step).toMatchObject({
      reason: 'scope',
      status: 403,
      challenge: expect.stringContaining('scope="skills metrics"'),
    });
    const first = await admitted({ oauth: oauth() }, `Bearer ${await issuer.token()}`);
    expect(first).toMatchObject({
      reason: 'scope',
      status: 403,
      challenge: expect.stringContaining('scope="skills"'),
    });
  });

  it('answers an internal failure with 503, not with a challenge', async () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, '{');
    expect(await admitted({ tokens: file }, `Bearer ${token}`)).toMatchObject({
      reason: 'unavailable',
      status: 503,
    });
  });
});
