/**
 * Promise: agents go on while the database of a shared catalog, the network to it, or a gateway fails. Needs a PostgreSQL server.
 */

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemCode } from '../../src/base/errors.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
import { post } from '../src/serve/stdio/ask.ts';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.ts';
import { skillFile, type Workplace } from './command.ts';
import { call, gateway, readiness, ready, SOON, searched, searchedOnce, teamPlace } from './gateways.ts';
import type { HttpServer } from './http-server.ts';
import { nextVersion } from './next-version.ts';

const QUERY = 'our mails land in the junk folder';

describe.skipIf(serverPrograms() === null)('gateways of one database', { timeout: 240_000 }, () => {
  let postgres: PostgresServer;
  let proxy: TcpProxy;
  let place: Workplace;
  let schemas = 0;
  beforeAll(async () => {
    postgres = await postgresServer();
    proxy = await tcpProxy(postgres.port);
  });
  afterEach(() => {
    proxy.pass();
    proxy.delay(0);
  });
  afterAll(async () => {
    await proxy.close();
    await postgres.remove();
  });

  /** A place whose gateways reach the database through the proxy. */
  async function team(store: Record<string, unknown> = {}): Promise<void> {
    schemas += 1;
    const url = proxy.through(postgres.url);
    place = teamPlace({ url, schema: `faults_${schemas}`, ...store });
    expect((await place.run('store', 'init')).stderr).toBe('');
  }

  const start = (name: string, ...args: string[]) => gateway(place, name, ...args);

  it('answer from their copies while the database is silent, say so everywhere, and refuse after maxStale', async () => {
    await team({ maxStale: '45s' });
    const server = await start('a');
    await ready(server);
    const metric = async () => {
      const text = await (await fetch(new URL('/metrics', server.url))).text();
      return Number(/^skillgate_store_stale_seconds (.+)$/m.exec(text)?.[1]);
    };
    expect(await metric()).toBe(0);
    expect((await readiness(server)).text).toMatch(/^{"status":"ready"(?!.*warning)/);

    proxy.stall();
    // Before the time limit of the first query, so that no failure is known yet.
    await expect.poll(() => searched(server, QUERY), SOON).toContain('its store has not answered for');
    expect(await searched(server, QUERY)).toContain('email-deliverability');
    expect(await metric()).toBeGreaterThan(5);
    expect(JSON.parse((await readiness(server)).text)).toMatchObject({
      status: 'ready',
      warning: expect.stringContaining('has not answered for'),
    });
    // No search waits for the database: each would take its limit of 10 s, and the catalog would be refused before the fourth.
    for (let search = 0; search < 5; search += 1) expect(await searched(server, QUERY)).toContain('email-');

    await expect.poll(async () => (await readiness(server)).status, SOON).toBe(503);
    expect(await searched(server, QUERY)).toContain('out of reach');

    proxy.pass();
    await ready(server);
    await expect.poll(() => searched(server, QUERY), SOON).toContain('email-deliverability');
    await expect.poll(metric, SOON).toBe(0);
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('Tune a violin');
  });

  it('a writer that is cut off fails loads at once, and counts no change that another gateway serves', async () => {
    await team({ lease: '2s' });
    const cut = await start('a');
    await expect.poll(() => cut.said(), SOON).toContain('is the writer');
    await ready(cut);
    const other = await start('b', '--set', `store.url=${postgres.url}`);
    await ready(other);
    const metric = async (name: string) => {
      const text = await (await fetch(new URL('/metrics', cut.url))).text();
      return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    };
    proxy.stall();
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    await expect.poll(() => metric('skillgate_changes_pending'), SOON).toBe(1);
    await expect.poll(() => searched(other, 'tune a violin by ear'), SOON).toContain('Tune a violin');
    await expect.poll(() => metric('skillgate_changes_pending_seconds'), SOON).toBe(0);
    await expect.poll(() => metric('skillgate_store_stale_seconds'), SOON).toBeGreaterThan(0);
    const load = { name: 'load_skill', arguments: { skill: 'email-deliverability' } };
    const loads = Array.from({ length: 16 }, (_, id) =>
      post(cut.url, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: load })),
    );
    // As many as a caller may have at once: the first answer comes while the network is silent, and leaves room for a search.
    expect((await Promise.race(loads)).text).toContain('which does not answer');
    expect(await searched(cut, QUERY)).toContain('email-deliverability');
    for (const { text } of await Promise.all(loads)) expect(text).toContain('which does not answer');
    expect(await metric('skillgate_store_stale_seconds')).toBeGreaterThan(0);
  });

  it('the state of the store and of the copy is known, also while the database is away', async () => {
    await team();
    const server = await start('a');
    await ready(server);
    const status = () => place.run('store', 'status', '--set', 'store.cache=cache-a');
    const said = await status();
    expect(said.stdout).toMatch(/The copy of this machine has generation 1, of 20\S+Z: .*cache-a/);
    expect(said.stdout).toContain('written by');
    const report = JSON.parse(
      (await place.run('store', 'status', '--set', 'store.cache=cache-a', '--json')).stdout,
    );
    expect(report).toMatchObject({
      lines: [{ generation: 1, published_at: expect.stringMatching(/^20/) }],
      copy: { generation: 1 },
    });
    proxy.cut();
    const away = await status();
    expect(away.stdout).toContain('has generation 1');
    expect(away.stderr).toContain('The database does not answer');
    expect(away.code).not.toBe(0);
  });

  it('a slow database delays changes, never searches', async () => {
    await team();
    proxy.delay(100);
    const server = await start('a');
    await ready(server);
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('Tune a violin');
    expect(await searched(server, QUERY)).not.toContain('has not answered');
    expect(JSON.stringify((await call(server, 'load_skill', { skill: 'violin' })).content)).toContain(
      'Do Tune',
    );
  });

  it('three behind a list of addresses: one is killed, one is added, and no search fails but those it was answering', async () => {
    await team();
    const servers: HttpServer[] = [];
    for (const name of ['a', 'b', 'c']) {
      servers.push(await start(name));
      await ready(servers.at(-1)!);
    }
    const addresses = servers.map(({ url }) => url);
    const [dying] = servers as [HttpServer];
    let turn = 0;
    let isOver = false;
    let hasDied = false;
    const answered = new Map<string, number>();
    const failed: { readonly url: string; readonly wasInFlight: boolean; readonly reason: string }[] = [];
    /** A client that takes the addresses in turn, and the next one where a connection is refused. */
    const client = async () => {
      while (!isOver) {
        turn += 1;
        const url = addresses[turn % addresses.length]!;
        const wasInFlight = !hasDied && url === dying.url;
        try {
          const text = await searchedOnce(url, QUERY);
          if (text.includes('email-deliverability')) answered.set(url, (answered.get(url) ?? 0) + 1);
          else failed.push({ url, wasInFlight: false, reason: text });
        } catch (error) {
          // Never sent, so asked elsewhere.
          if (systemCode(error) === 'ECONNREFUSED') continue;
          failed.push({ url, wasInFlight, reason: String(error) });
        }
      }
    };
    const clients = Array.from({ length: 6 }, client);
    const served = (url: string) => answered.get(url) ?? 0;
    for (const url of addresses) await expect.poll(() => served(url), SOON).toBeGreaterThan(10);

    process.kill(dying.pid, 'SIGKILL');
    await dying.finished;
    hasDied = true;
    const added = await start('d');
    await ready(added);
    addresses.splice(addresses.indexOf(dying.url), 1, added.url);
    const before = served(addresses[1]!);
    await expect.poll(() => served(added.url), SOON).toBeGreaterThan(10);
    await expect.poll(() => served(addresses[1]!), SOON).toBeGreaterThan(before + 10);
    // The writer has died: another one has taken over, and its changes reach all.
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    for (const url of addresses)
      await expect.poll(() => searchedOnce(url, 'tune a violin by ear'), SOON).toContain('Tune a violin');
    isOver = true;
    await Promise.all(clients);
    expect(failed.filter(({ wasInFlight }) => !wasInFlight)).toEqual([]);
    // One each, and one more that reached the dying gateway's socket before the system closed it.
    expect(failed.length).toBeLessThanOrEqual(2 * clients.length);
  });

  it('an older version goes on answering while a newer one with other tables and another format writes', async () => {
    await team();
    const schema = `faults_${schemas}`;
    const older = await start('older');
    await ready(older);
    // What a step of a later version does: it only adds.
    await postgres.query(`
      alter table ${schema}.generation add column note text not null default '';
      create table ${schema}.later (id int);
      insert into ${schema}.schema_version (version, name) values (99, 'of a later version')`);
    const newer = await gateway({ start: (...args) => place.startOther(nextVersion(), ...args) }, 'newer');
    await ready(newer);
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    for (const server of [older, newer])
      await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('Tune a violin');
    const { lines } = JSON.parse((await place.run('store', 'status', '--json')).stdout);
    expect(new Set(lines.map(({ writer }: { writer: string }) => writer.split(':')[1]))).toEqual(
      new Set([String(older.pid), String(newer.pid)]),
    );
    // A reader of the older version needs no writer of its own, and restarts.
    await older.end('SIGKILL');
    const restarted = await start('restarted', '--set', 'store.role=reader');
    await ready(restarted);
    expect(await searched(restarted, 'tune a violin by ear')).toContain('Tune a violin');
  });

  it('a database that was dumped and restored answers as before', async () => {
    await team();
    const before = await start('a');
    await ready(before);
    const expected = await searched(before, QUERY);
    await before.end('SIGTERM');
    const programs = serverPrograms()!;
    const dump = join(place.folder, 'skillgate.dump');
    const schema = `faults_${schemas}`;
    execFileSync(join(programs, 'pg_dump'), ['-Fc', '-n', schema, '-f', dump, postgres.url]);
    await postgres.query(`drop schema ${schema} cascade`);
    expect((await place.run('store', 'status')).stderr).toContain('skillgate store init');
    execFileSync(join(programs, 'pg_restore'), ['-d', postgres.url, dump]);
    // No source is needed: a reader that has never run here answers from the database alone.
    rmSync(join(place.folder, 'skills'), { recursive: true });
    const after = await start('b', '--set', 'store.role=reader');
    await ready(after);
    expect(await searched(after, QUERY)).toBe(expected);
    const loaded = await call(after, 'load_skill', { skill: 'email-deliverability' });
    expect(JSON.stringify(loaded.content)).toContain('bounce');
    expect(await place.run('store', 'gc', '--grace', '0')).toMatchObject({ code: 0 });
    expect(await searched(after, QUERY)).toBe(expected);
  });
});
