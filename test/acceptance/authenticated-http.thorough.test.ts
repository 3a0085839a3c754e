/**
 * Promise: over HTTP with authentication, only callers with a valid token of skillgate or of the issuer are answered,
 * each as the principal of its token. All others are refused with a challenge. Every access is logged.
 */

import { readFileSync, rmSync } from 'node:fs';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IssuerServer, issuerServer } from '../extensions/http/auth/issuer-server.ts';
import { type Asked, ask, post } from '../src/serve/stdio/ask.ts';
import { examples, type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const call = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const SEARCH = call('search_skills', { query: 'bulk mails bounce although SPF passes' });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const challenge = ({ headers }: Asked) => String(headers['www-authenticate']);

let place: Workplace;
let issuer: IssuerServer;
let server: HttpServer;
const tokens: Record<string, string> = {};
const audience = 'https://skills.example/mcp';

async function create(name: string, ...args: string[]): Promise<string> {
  const made = await place.run('token', 'create', name, '--file', 'tokens.json', '--json', ...args);
  expect(made.code).toBe(0);
  const { token }: { token: string } = JSON.parse(made.stdout);
  tokens[name] = token;
  return token;
}

const auditLines = (): Record<string, unknown>[] =>
  readFileSync(`${place.folder}/audit.log`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  place = workplace();
  issuer = await issuerServer({ audience });
  await create('ci', '--expires', '1h');
  await create('prometheus', '--scope', 'metrics', '--expires', 'never');
  await create('brief', '--expires', '1s');
  place.write(
    'skillgate.config.json',
    JSON.stringify({
      http: { publicUrl: audience },
      auth: {
        tokens: 'tokens.json',
        oauth: { issuer: issuer.issuer, audience, requiredScopes: ['skills'], allowPrivate: true },
      },
      policy: { default: 'allow' },
      limits: { callsPerMinute: 40 },
      telemetry: { audit: 'audit.log', redact: ['arguments.query'] },
    }),
  );
  server = await serveHttp(place, examples, '--config', 'skillgate.config.json', '--host', '0.0.0.0');
  // It listens on all interfaces, so the printed address is 0.0.0.0.
  server = { ...server, url: server.url.replace('0.0.0.0', '127.0.0.1') };
});
afterAll(async () => {
  expect((await server.end()).code).toBe(0);
  await issuer.close();
});

describe('a skillgate token', () => {
  it('admits its holder, on an address that other machines can reach', async () => {
    const answer = await post(server.url, SEARCH, bearer(tokens.ci ?? ''));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('email-deliverability');
  });

  it.each([
    ['none', {}],
    ['an unknown token', bearer(`sgt_${'A'.repeat(43)}`)],
    ['another kind of credentials', { authorization: 'Basic Y2k6Y2k=' }],
    ['an invalid token', bearer('x')],
  ])('is missed where there is %s', async (_, headers) => {
    const answer = await post(server.url, SEARCH, headers);
    expect(answer.status).toBe(401);
    expect(challenge(answer)).toMatch(/^Bearer error="invalid_token"/);
    expect(challenge(answer)).toContain('resource_metadata="https://skills.example/.well-known/');
    expect(answer.text).not.toContain('email');
  });

  it('is refused after it has expired', async () => {
    await expect
      .poll(async () => (await post(server.url, SEARCH, bearer(tokens.brief ?? ''))).status)
      .toBe(401);
  });

  it('is refused after it is revoked, without a restart', async () => {
    const leaver = `leaver-${Date.now()}`;
    const headers = bearer(await create(leaver));
    await expect.poll(async () => (await post(server.url, SEARCH, headers)).status).toBe(200);
    const revoked = await place.run('token', 'revoke', leaver, '--file', 'tokens.json');
    expect(revoked.code).toBe(0);
    await expect.poll(async () => (await post(server.url, SEARCH, headers)).status).toBe(401);
    const listed = await place.run('token', 'list', '--file', 'tokens.json', '--json');
    const records: { name: string; state: string }[] = JSON.parse(listed.stdout);
    expect(records.find(({ name }) => name === leaver)).toMatchObject({ state: 'revoked' });
    expect(listed.stdout).not.toContain('hash');
  });
});

describe('a token of the issuer', () => {
  const status = async (...of: Parameters<IssuerServer['token']>) =>
    (await post(server.url, SEARCH, bearer(await issuer.token(...of)))).status;

  it('admits its subject', async () => {
    expect(await status({ sub: 'alice', scope: 'skills' })).toBe(200);
  });

  it('is refused if it is for another audience', async () => {
    expect(await status({ scope: 'skills', aud: 'https://other.example/mcp' })).toBe(401);
  });

  it('without a scope is refused with the missing scopes and the metadata URL', async () => {
    const answer = await post(server.url, SEARCH, bearer(await issuer.token({ sub: 'bob', scope: 'other' })));
    expect(answer.status).toBe(403);
    expect(challenge(answer)).toContain('error="insufficient_scope"');
    expect(challenge(answer)).toContain('scope="skills"');
    expect(challenge(answer)).toContain('resource_metadata=');
  });
});

describe('a client of the SDK', () => {
  it('discovers the issuer, gets a token and searches', async () => {
    const own = workplace();
    const local = await serveHttp(
      own,
      examples,
      ...['--set', `auth.oauth.issuer=${issuer.issuer}`, '--set', `auth.oauth.audience=${audience}`],
      ...['--set', 'auth.oauth.allowPrivate=true', '--set', 'auth.oauth.requiredScopes=skills'],
      ...['--set', 'policy.default=allow'],
    );
    const client = new Client({ name: 'acceptance', version: '1' });
    const authProvider = new ClientCredentialsProvider({
      clientId: 'agent',
      clientSecret: 'of-the-test',
      expectedIssuer: issuer.issuer,
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(local.url), { authProvider }));
    const result = await client.callTool({
      name: 'search_skills',
      arguments: { query: 'bulk mails bounce' },
    });
    expect(result.isError).not.toBe(true);
    await client.close();
    expect(issuer.asked).toContain('scope skills');
    expect((await local.end()).code).toBe(0);
  });
});

describe('without a token', () => {
  it('the resource metadata is public', async () => {
    const origin = new URL(server.url).origin;
    for (const path of ['', '/mcp']) {
      const answer = await ask(`${origin}/.well-known/oauth-protected-resource${path}`);
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(JSON.parse(answer.text)).toEqual({
        resource: audience,
        authorization_servers: [issuer.issuer],
        scopes_supported: ['skills'],
        bearer_methods_supported: ['header'],
        resource_name: 'skillgate',
      });
    }
  });

  it('liveness and readiness are public, and nothing else', async () => {
    const origin = new URL(server.url).origin;
    expect((await ask(`${origin}/healthz`)).text).toBe('{"status":"ok"}');
    await expect.poll(async () => (await ask(`${origin}/readyz`)).text).toContain('"status":"ready"');
    expect((await ask(`${origin}/metrics`)).status).toBe(401);
  });
});

describe('metrics', () => {
  it('need the scope, and name tools and rejections but no principal', async () => {
    const { origin } = new URL(server.url);
    const step = await ask(`${origin}/metrics`, { headers: bearer(tokens.ci ?? '') });
    expect(step.status).toBe(403);
    expect(challenge(step)).toContain('metrics');
    const { status, text } = await ask(`${origin}/metrics`, { headers: bearer(tokens.prometheus ?? '') });
    expect(status).toBe(200);
    expect(text).toMatch(/skillgate_tool_duration_seconds_count\{tool="search_skills",outcome="ok"\} \d/);
    for (const reason of ['missing', 'unknown', 'expired', 'revoked', 'claims', 'scope'])
      expect(text).toMatch(new RegExp(`skillgate_rejects_total\\{reason="${reason}"\\} [1-9]`));
    expect(text).toMatch(/skillgate_index_skills 32/);
    expect(text).not.toMatch(/alice|prometheus|"ci"/);
  });
});

describe('a limit of calls', () => {
  it('applies per principal, and says when to retry', async () => {
    const noisy = bearer(await issuer.token({ sub: `noisy-${Date.now()}`, scope: 'skills' }));
    const answers: Asked[] = [];
    for (let sent = 0; sent < 41; sent++)
      answers.push(await post(server.url, call('list_skills', {}), noisy));
    const refused = answers.at(-1);
    expect(answers.slice(0, 40).map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('More than 40 calls per minute') },
    });
    expect(
      (await post(server.url, SEARCH, bearer(await issuer.token({ sub: 'calm', scope: 'skills' })))).status,
    ).toBe(200);
  });
});

describe('the audit log', () => {
  it('records principal, action and outcome, without tokens and redacted fields', async () => {
    await post(server.url, call('load_skill', { skill: 'email-deliverability' }), bearer(tokens.ci ?? ''));
    await post(server.url, call('load_skill', { skill: 'no-such-skill' }), bearer(tokens.ci ?? ''));
    const calls = () => auditLines().filter(({ event }) => event === 'call');
    await expect.poll(() => calls().at(-1)?.outcome).toBe('SKILL_UNKNOWN');
    const lines = auditLines();
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: 'call',
        who: 'ci',
        call: 'search',
        arguments: expect.objectContaining({ query: '[redacted]', limit: 5 }),
        outcome: 'ok',
        hits: expect.arrayContaining(['email-deliverability']),
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ who: 'ci', call: 'load', outcome: 'ok', skill: 'email-deliverability' }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ who: 'alice', call: 'search' }));
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'access', who: null, path: '/mcp', status: 401, reject: 'missing' }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ event: 'access', who: 'ci', status: 200 }));
    const text = readFileSync(`${place.folder}/audit.log`, 'utf8');
    expect(text).not.toContain('bulk mails');
    expect(text).not.toMatch(/sgt_[\w-]{20}|eyJ[\w-]{10}/);
    expect(server.said()).not.toMatch(/sgt_[\w-]{20}|eyJ[\w-]{10}/);
  });
});

describe('the token commands', () => {
  it('show a token once, and refuse invalid arguments', async () => {
    rmSync(`${place.folder}/other.json`, { force: true });
    const first = await place.run('token', 'create', 'once', '--file', 'other.json');
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sgt_[\w-]{43}\n$/) });
    expect(first.stderr).toContain('shown once');
    const text = readFileSync(`${place.folder}/other.json`, 'utf8');
    expect(text).not.toContain(first.stdout.trim());
    const refusals: [string[], number, string][] = [
      [['create', 'once'], 2, 'There is already a token "once"'],
      [['create', 'local'], 2, 'which is the local user'],
      [['create', 'x', '--scope', 'a b'], 2, 'is not a valid scope'],
      [['create', 'x', '--expires', 'soon'], 2, '--expires takes a time'],
      [['revoke', 'nobody'], 3, 'There is no token "nobody"'],
    ];
    for (const [args, code, message] of refusals) {
      const outcome = await place.run('token', ...args, '--file', 'other.json');
      expect(outcome).toMatchObject({ code, stdout: '' });
      expect(outcome.stderr).toContain(message);
    }
    const listed = await place.run('token', 'list', '--file', 'other.json');
    expect(listed.stdout).toMatch(/^once {2}good {2}no scopes {2}since 20\d\d-/);
  });
});
