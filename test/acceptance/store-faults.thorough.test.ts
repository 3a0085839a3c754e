/**
 * Promise: agents go on while the database of a shared catalog, the network to it, or a gateway fails. Needs a PostgreSQL server.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../extensions/postgres/database/connect.ts';
import { PostgresStore } from '../../extensions/postgres/database/postgres-store.ts';
import { entriesOf } from '../../extensions/postgres/publish.ts';
import { fetchWhole, pull } from '../../extensions/postgres/pull.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import { SEGMENT_FORMAT } from '../../index/segment/format.ts';
import { systemCodeOf } from '../../src/base/errors.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.ts';
import { root, skillFile, type Workplace } from './command.ts';
import { call, gateway, readiness, ready, SOON, searched, searchedOnce, teamPlace } from './gateways.ts';
import type { HttpServer } from './http-server.ts';

/** How many gateways are killed: 200 and more by hand. */
const KILLS = Number(process.env.SKILLGATE_STORE_KILLS ?? 2);
const GONE_MS = 60_000;
const QUERY = 'our mails land in the junk folder';

describe.skipIf(serverPrograms() === null)('gateways of one database', { timeout: 240_000 }, () => {
  let postgres: PostgresServer;
  let proxy: TcpProxy;
  let place: Workplace;
  let schemas = 0;
  const servers: HttpServer[] = [];
  beforeAll(async () => {
    postgres = await postgresServer();
    proxy = await tcpProxy(postgres.port);
  });
  afterEach(async () => {
    proxy.pass();
    proxy.delay(0);
    await Promise.all(servers.splice(0).map((server) => server.end('SIGKILL')));
    place.remove();
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

  async function start(name: string, ...args: string[]): Promise<HttpServer> {
    const server = await gateway(place, name, ...args);
    servers.push(server);
    return server;
  }

  it('answer from their copies while the database is silent, say so everywhere, and refuse after maxStale', async () => {
    await team({ maxStale: '25s' });
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
    await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('violin');
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
    await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('violin');
    expect(await searched(server, QUERY)).not.toContain('has not answered');
    expect(JSON.stringify((await call(server, 'load_skill', { skill: 'violin' })).content)).toContain(
      'Do Tune',
    );
  });

  it('three behind a list of addresses: one is killed, one is added, and no search fails but those it was answering', async () => {
    await team();
    const addresses: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const server = await start(name);
      await ready(server);
      addresses.push(server.url);
    }
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
          if (systemCodeOf(error) === 'ECONNREFUSED') continue;
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
      await expect.poll(() => searchedOnce(url, 'tune a violin by ear'), SOON).toContain('violin');
    isOver = true;
    await Promise.all(clients);
    expect(failed.filter(({ wasInFlight }) => !wasInFlight)).toEqual([]);
    // One each, and one more that reached the dying gateway's socket before the system closed it.
    expect(failed.length).toBeLessThanOrEqual(2 * clients.length);
  });

  it(
    'a gateway that is killed at any moment of a publication leaves the generation before, or the next one',
    async () => {
      await team({ lease: '2s' });
      for (const name of readdirSync(join(place.folder, 'skills')).slice(3))
        rmSync(join(place.folder, 'skills', name), { recursive: true });
      const schema = `faults_${schemas}`;
      const store = new PostgresStore(
        connect({ url: postgres.url, connections: 2, timeoutMs: 20_000 }),
        schema,
      );
      /** What a gateway would get: each skill of the index with all its files, whose digests are checked. */
      const published = async () => {
        const directory = memoryDirectory();
        const [line] = (await store.status()).lines;
        const newest = await pull(store, line!.line, directory);
        const texts: string[] = [];
        for (const { digest } of entriesOf(directory)) {
          const skill = await store.skill(digest);
          for (const { sha256, size } of skill!.files)
            texts.push(Buffer.from(await fetchWhole(store, { sha256: sha256!, size })).toString());
        }
        return { version: newest!.version, text: texts.find((text) => text.includes('name: extra')) ?? null };
      };
      /** Runs a gateway that publishes a change, and kills it at its `at`-th message to the database from then on. */
      const publishing = async (text: string, at: number): Promise<number> => {
        const server = await start('a');
        await ready(server);
        await expect.poll(() => server.said(), SOON).toContain('is the writer');
        // What was indexed before a crash is published first.
        await expect
          .poll(async () => (await place.run('store', 'status')).stdout, SOON)
          .toContain('written by');
        let sent = 0;
        const isLost = Math.random() < 0.5;
        proxy.onSent((bytes) => {
          if (!PUBLISHING.test(bytes.toString('latin1'))) return true;
          sent += 1;
          if (sent < at) return true;
          if (sent === at) process.kill(server.pid, 'SIGKILL');
          return !isLost && sent === at;
        });
        place.write('skills/extra/SKILL.md', skillFile('extra', text));
        if (at === Number.POSITIVE_INFINITY)
          await expect.poll(async () => (await published().catch(() => null))?.text, SOON).toContain(text);
        else await server.finished;
        proxy.onSent(() => true);
        if (at === Number.POSITIVE_INFINITY) await server.end('SIGKILL');
        servers.length = 0;
        await postgres.query(`update ${schema}.lease set expires_at = '-infinity'`);
        return sent;
      };
      const messages = await publishing('change 0 of all', Number.POSITIVE_INFINITY);
      expect(messages).toBeGreaterThan(8);
      let { version } = await published();
      const ended = { before: 0, next: 0 };
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const at = 1 + Math.floor(Math.random() * messages);
        await publishing(`change ${kill} of all`, at);
        const found = await published();
        const isNext = found.text?.includes(`change ${kill} of all`) ?? false;
        expect(found.version).toBeGreaterThanOrEqual(version);
        ended[isNext ? 'next' : 'before'] += 1;
        version = found.version;
      }
      expect(ended.before + ended.next).toBe(KILLS);
      if (KILLS > 10) console.info(`${KILLS} kills, of ${messages} messages of a publication`, ended);
      await publishing('nothing was lost', Number.POSITIVE_INFINITY);
      await store.close();
    },
    100_000 + KILLS * 60_000,
  );

  it('a writer that stands still in a publication is replaced, and cannot finish it later', async () => {
    await team({ lease: '2s' });
    const [a, b] = [await start('a'), await start('b')];
    await ready(a);
    await ready(b);
    const writerOf = async () => {
      const { lines } = JSON.parse((await place.run('store', 'status', '--json')).stdout);
      return lines[0].writer as string | null;
    };
    const writer = await vi.waitFor(
      async () => (await writerOf()) ?? Promise.reject(new Error('no writer yet')),
      SOON,
    );
    const [paused, other] = writer.includes(`:${a.pid}:`) ? [a, b] : [b, a];
    let isPaused = false;
    proxy.onSent((bytes) => {
      // The row of the lease is locked by now.
      if (!isPaused && /insert into \S+\.generation \(/.test(bytes.toString('latin1'))) {
        isPaused = true;
        process.kill(paused.pid, 'SIGSTOP');
      }
      return true;
    });
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    await expect.poll(() => isPaused, SOON).toBe(true);
    await expect.poll(() => searched(other, 'tune a violin by ear'), SOON).toContain('violin');
    // Null while a lease has ended and the next has not begun.
    await expect.poll(async () => (await writerOf()) ?? writer, SOON).not.toBe(writer);

    process.kill(paused.pid, 'SIGCONT');
    place.write('skills/cello/SKILL.md', skillFile('cello', 'Tune a cello by ear.'));
    for (const server of [paused, other]) {
      await expect.poll(() => searched(server, 'tune a cello by ear'), SOON).toContain('cello');
      expect(await searched(server, 'tune a violin by ear')).toContain('violin');
    }
    const generations = await postgres.query<{ version: number; fence: number }>(
      `select version::int, fence::int from faults_${schemas}.generation order by version`,
    );
    expect(generations.map(({ fence }) => fence)).toEqual(generations.map(({ fence }) => fence).toSorted());
    expect(generations.map(({ version }) => version)).toEqual(
      generations.map((_, at) => generations[0]!.version + at),
    );
  });

  it('a database that is gone for a minute costs no search, and what changed meanwhile is published', async () => {
    await team({ lease: '2s' });
    const [a, b] = [await start('a'), await start('b')];
    await ready(a);
    await ready(b);
    await postgres.stop();
    try {
      place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
      const back = Date.now() + GONE_MS;
      while (Date.now() < back) {
        for (const server of [a, b]) expect(await searched(server, QUERY)).toContain('email-deliverability');
        await sleep(500);
      }
      for (const server of [a, b]) expect(await searched(server, QUERY)).toContain('has not answered for');
    } finally {
      await postgres.start();
    }
    for (const server of [a, b]) {
      await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('violin');
      expect((await readiness(server)).text).toMatch(/^{"status":"ready"(?!.*warning)/);
    }
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
    const newer = await gateway(
      { start: (...args) => place.startOther(nextVersion(place), ...args) },
      'newer',
    );
    servers.push(newer);
    await ready(newer);
    place.write('skills/violin/SKILL.md', skillFile('violin', 'Tune a violin by ear.'));
    for (const server of [older, newer])
      await expect.poll(() => searched(server, 'tune a violin by ear'), SOON).toContain('violin');
    const report = async () => JSON.parse((await place.run('store', 'status', '--json')).stdout);
    const { lines } = await report();
    expect(lines.map(({ line }: { line: string }) => Number.parseInt(line, 10))).toEqual([
      SEGMENT_FORMAT,
      SEGMENT_FORMAT + 1,
    ]);
    expect(new Set(lines.map(({ writer }: { writer: string }) => writer.split(':')[1]))).toEqual(
      new Set([String(older.pid), String(newer.pid)]),
    );
    // A reader of the older version needs no writer of its own, and restarts.
    await older.end('SIGKILL');
    const restarted = await start('restarted', '--set', 'store.role=reader');
    await ready(restarted);
    expect(await searched(restarted, 'tune a violin by ear')).toContain('violin');
  });

  it('a database that was dumped and restored answers as before', async () => {
    await team();
    const before = await start('a');
    await ready(before);
    const expected = await searched(before, QUERY);
    await before.end('SIGTERM');
    servers.length = 0;
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

/** Statements of a publication, in any of its phases. */
const PUBLISHING =
  /\.(object|chunk|skill|skill_object|generation|generation_file)\b(?! g where line)|commit|for update/;

/** A copy of the built program that differs in what decides which line it follows: the format of the index. */
function nextVersion(place: Workplace): string {
  const to = join(place.folder, 'next-version');
  cpSync(join(root, 'dist'), join(to, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(to, 'package.json'));
  symlinkSync(join(root, 'models'), join(to, 'models'));
  let changed = 0;
  for (const name of readdirSync(join(to, 'dist')).filter((file) => file.endsWith('.js'))) {
    const file = join(to, 'dist', name);
    const text = readFileSync(file, 'utf8');
    const next = text.replace(/(lineOf=\(\{id\}\)=>`\$\{)\d+\}/, `$1${SEGMENT_FORMAT + 1}}`);
    if (next === text) continue;
    writeFileSync(file, next);
    changed += 1;
  }
  expect(changed, 'the one place in the bundle that names the line').toBe(1);
  return join(to, 'dist', 'skillgate.js');
}
