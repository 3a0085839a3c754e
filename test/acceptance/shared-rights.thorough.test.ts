/**
 * Promise: no gateway answers under tokens or a policy that are older than `store.maxStaleRights`, or that it cannot read, also while
 * versions change one by one. Needs a PostgreSQL server.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
import { post } from '../src/serve/stdio/ask.ts';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.ts';
import { type Workplace, workplace } from './command.ts';
import { copySkills, readiness, ready, SOON, gateway as startGateway } from './gateways.ts';
import type { HttpServer } from './http-server.ts';
import { NEXT_KEY, nextVersion } from './next-version.ts';

const MAX_STALE_S = 6;
const SEARCH = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_skills', arguments: { query: 'our mails land in the junk folder' } },
});
const ALL = { rules: [{ who: ['*'], allow: [{}] }] };

describe.skipIf(serverPrograms() === null)('rights that gateways share', { timeout: 240_000 }, () => {
  let postgres: PostgresServer;
  let proxy: TcpProxy;
  let place: Workplace;
  let schemas = 0;
  let token: string;
  beforeAll(async () => {
    postgres = await postgresServer();
    proxy = await tcpProxy(postgres.port);
  });
  beforeEach(async () => {
    schemas += 1;
    place = workplace();
    copySkills(place);
    configure(ALL);
    await run('store', 'init');
    await run('store', 'policy');
    // As an administrator does: by a role of its own.
    const admin = ['--set', `store.url=${postgres.url}`];
    token = await run('token', 'create', 'alice', '--scope', 'metrics', ...admin);
  });
  afterEach(() => proxy.pass());
  afterAll(async () => {
    await proxy.close();
    await postgres.remove();
  });

  function configure(policy: unknown): void {
    const sources = [{ kind: 'local', name: 'all', root: './skills' }];
    const store = {
      url: postgres.url,
      schema: `rights_${schemas}`,
      shares: ['tokens', 'policy'],
      lease: '2s',
      maxStaleRights: `${MAX_STALE_S}s`,
    };
    place.write('skillgate.config.json', JSON.stringify({ sources, policy, store }));
  }

  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await place.run(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout.trim();
  }

  const start = (name: string, start = place.start) =>
    startGateway({ start }, name, '--set', `store.url=${proxy.through(postgres.url)}`);

  const search = ({ url }: HttpServer, bearer = token) =>
    post(url, SEARCH, { authorization: `Bearer ${bearer}` });
  const finds = async (server: HttpServer) => (await search(server)).text.includes('email-deliverability');
  const metrics = async ({ url }: HttpServer) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(new URL('/metrics', url), { headers })).text();
  };

  it.each([
    ['it is cut', () => proxy.cut()],
    ['answers are lost', () => proxy.lose('answers')],
  ])('end with the connection to the database: %s', async (_, fail) => {
    const server = await start('a');
    await ready(server);
    const other = await run('token', 'create', 'bob');
    await expect.poll(async () => (await search(server, other)).status, SOON).toBe(200);

    const since = performance.now();
    fail();
    await run('token', 'revoke', 'bob');
    configure({ rules: [] });
    await run('store', 'policy');
    let last = 0;
    await expect
      .poll(
        async () => {
          const askedAt = performance.now();
          const { status, text } = await search(server, other);
          if (status === 200) last = askedAt;
          return `${status} ${text}`;
        },
        { ...SOON, interval: 50 },
      )
      .toMatch(/^503 .*longer than store.maxStaleRights/);
    // Nothing was read later than the fault.
    expect(last - since).toBeLessThanOrEqual(MAX_STALE_S * 1_000);
    expect((await search(server)).status).toBe(503);
    expect(await readiness(server)).toMatchObject({
      status: 503,
      text: expect.stringContaining('maxStaleRights'),
    });

    proxy.pass();
    await ready(server);
    await expect.poll(async () => (await search(server, other)).status, SOON).toBe(401);
    await expect.poll(() => finds(server), SOON).toBe(false);
    expect(await metrics(server)).toMatch(/skillgate_rights_age_seconds 0\.\d/);
  });

  it('end with a policy that cannot be read, which is named everywhere', async () => {
    const server = await start('a');
    await ready(server);
    await expect.poll(() => finds(server), SOON).toBe(true);
    const set = (value: unknown) =>
      postgres.query(
        `update rights_${schemas}.setting set version = version + 1, value = '${JSON.stringify(value)}' where name = 'policy'`,
      );
    await set({ ...ALL, [NEXT_KEY]: ['a'] });
    await expect.poll(async () => (await search(server)).status, SOON).toBe(503);
    expect((await search(server)).text).toContain(NEXT_KEY);
    expect(await readiness(server)).toMatchObject({ status: 503, text: expect.stringContaining(NEXT_KEY) });
    expect(await metrics(server)).toContain(
      `skillgate_rights_unreadable{setting="policy",key="${NEXT_KEY}"} 1`,
    );
    await set(ALL);
    await ready(server);
    expect(await finds(server)).toBe(true);
    expect(await metrics(server)).not.toContain(`key="${NEXT_KEY}"`);
  });

  it('hold while a newer version replaces an older one, whose gateways never see a policy that they cannot read', async () => {
    const next = nextVersion();
    const runNext = (...args: string[]) => place.startOther(next, ...args).finished;
    const older = await start('a');
    await ready(older);
    const newer = await start('b', (...args) => place.startOther(next, ...args));
    await ready(newer);
    for (const server of [older, newer]) await expect.poll(() => finds(server), SOON).toBe(true);

    configure({ ...ALL, [NEXT_KEY]: ['a'] });
    const refused = await runNext('store', 'policy');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(new RegExp(`Nothing was published: .*:${older.pid}:\\S+ \\(${NEXT_KEY}`));
    for (const server of [older, newer]) expect(await finds(server)).toBe(true);

    await older.end();
    expect(await runNext('store', 'policy')).toMatchObject({ code: 0 });
    expect(await finds(newer)).toBe(true);
    // An older one that starts later answers no caller.
    configure(ALL);
    const late = await start('c');
    expect((await search(late)).status).toBe(503);
    await expect.poll(async () => (await readiness(late)).text, SOON).toContain(NEXT_KEY);
  });
});
