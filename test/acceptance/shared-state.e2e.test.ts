/**
 * Promise: what an operator changes in the database holds on all gateways within a second, limits count across them, and what
 * happened is in one log. Needs a PostgreSQL server.
 */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpc } from '../attacks/http-server.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
import { post } from '../src/serve/stdio/ask.ts';
import { examples, type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const SOON = { interval: 100 };
/** Asks again and again until a change holds, so the usual limit of calls would end the wait with refusals. */
const ALICE = { who: ['alice'], allow: [{}], callsPerMinute: 1_000_000 };

describe.skipIf(serverPrograms() === null)('gateways of one database', () => {
  let postgres: PostgresServer;
  let place: Workplace;
  let servers: readonly HttpServer[];
  let token: string;
  beforeAll(async () => {
    postgres = await postgresServer();
    place = workplace();
    cpSync(examples, join(place.folder, 'skills'), { recursive: true });
    configure({ rules: [ALICE] });
    await done('store', 'init');
    await done('store', 'policy');
    token = (await done('token', 'create', 'alice')).trim();
    servers = await Promise.all(
      ['a', 'b'].map((name) => {
        const start = (...all: string[]) => place.start(...all.map((arg) => (arg === 'index' ? name : arg)));
        return serveHttp({ ...place, start }, null, '--set', `store.cache=cache-${name}`);
      }),
    );
  }, 120_000);
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.end('SIGKILL')));
    await postgres.remove();
  });

  function configure(policy: unknown): void {
    const sources = [{ kind: 'local', name: 'all', root: './skills' }];
    const store = { url: postgres.url, shares: ['tokens', 'policy', 'audit'] };
    place.write('skillgate.config.json', JSON.stringify({ sources, policy, store }));
  }

  async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await place.run(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  }

  const asked = ({ url }: HttpServer, bearer: string, method: string, params = {}) =>
    post(url, rpc(method, params), { authorization: `Bearer ${bearer}` });

  /** The answer to a search, or how it was refused. */
  async function hits(server: HttpServer, bearer = token): Promise<string> {
    const search = { name: 'search_skills', arguments: { query: 'our mails land in the junk folder' } };
    const { status, headers, text } = await asked(server, bearer, 'tools/call', search);
    return [status, headers['www-authenticate'], text].join(' ').replaceAll('\n', ' ');
  }

  /** A name of a new token: an earlier try has made others. */
  const newName = (name: string) => `${name}-${Date.now()}`;

  it('a token is made and revoked on all of them', async () => {
    const bob = newName('bob');
    for (const server of servers)
      await expect.poll(() => hits(server), SOON).toContain('email-deliverability');
    const other = (await done('token', 'create', bob)).trim();
    for (const server of servers)
      await expect.poll(() => hits(server, other), SOON).not.toMatch(/40[13]|invalid_token/i);
    await done('token', 'revoke', bob);
    for (const server of servers) await expect.poll(() => hits(server, other), SOON).toMatch(/revoked/i);
    const list = await done('token', 'list');
    expect(list).toMatch(/alice {2,}good/);
    expect(list).toMatch(new RegExp(`${bob} {2,}revoked`));
  });

  it('a policy holds on all of them', async () => {
    configure({ disabled: ['*email-deliverability'], rules: [ALICE] });
    await done('store', 'policy');
    // Another skill is found in its place: an answer, and no refusal.
    for (const server of servers)
      await expect.poll(() => hits(server), SOON).toMatch(/^(?!.*email-deliverability).*"text":"/);
    configure({ rules: [ALICE] });
    await done('store', 'policy');
    for (const server of servers)
      await expect.poll(() => hits(server), SOON).toContain('email-deliverability');
  });

  it('a limit of calls counts on all of them together', async () => {
    const name = newName('carol');
    configure({
      rules: [
        { who: ['*'], allow: [{}] },
        { who: [name], callsPerMinute: 100 },
      ],
    });
    await done('store', 'policy');
    const carol = (await done('token', 'create', name)).trim();
    const [first, second] = servers as [HttpServer, HttpServer];
    // Windows of a minute: where one ends between the two, the test begins again.
    await expect
      .poll(
        async () => {
          let calls = 0;
          while ((await asked(first, carol, 'ping')).status !== 429 && calls < 2_000) calls += 1;
          for (let own = 1; own <= 20; own += 1)
            if ((await asked(second, carol, 'ping')).status === 429) return own;
          return null;
        },
        { ...SOON, timeout: 150_000 },
      )
      // Far fewer than a hundred calls of its own.
      .toBeLessThanOrEqual(20);
  }, 180_000);

  it('all calls are in one log', async () => {
    await expect
      .poll(async () => (await done('store', 'audit')).match(/"call":"search"/g)?.length ?? 0, SOON)
      .toBeGreaterThan(5);
  });
});
