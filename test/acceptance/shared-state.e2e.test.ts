/**
 * Promise: what an operator changes in the database holds on all gateways within a second, limits count across them, and what
 * happened is in one log. Needs a PostgreSQL server.
 */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
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

  /** The answer to a search, or how it was refused. */
  async function hits({ url }: HttpServer, bearer = token): Promise<string> {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      const query = 'our mails land in the junk folder';
      return JSON.stringify((await client.callTool({ name: 'search_skills', arguments: { query } })).content);
    } catch (error) {
      return String(error);
    } finally {
      await client.close();
    }
  }

  /** The HTTP status of one call. */
  async function status({ url }: HttpServer, bearer: string): Promise<number> {
    const headers = {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    await answer.text();
    return answer.status;
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
          while ((await status(first, carol)) !== 429 && calls < 2_000) calls += 1;
          for (let own = 1; own <= 20; own += 1) if ((await status(second, carol)) === 429) return own;
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
