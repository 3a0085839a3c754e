/**
 * A database behind a network that is slow, silent or broken. The silent one is also a real one, in a network namespace, where this
 * machine lets a test make one.
 */

import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../extensions/postgres/database/connect.ts';
import { connect } from '../../../extensions/postgres/database/connect.ts';
import { migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import { pull } from '../../../extensions/postgres/pull.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { endWithTest } from '../../end-with-test.ts';
import { needsThat } from '../../needs.ts';
import { type OwnNetwork, ownNetwork } from '../../own-network.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../../postgres.ts';
import { type TcpProxy, tcpProxy } from '../../tcp-proxy.ts';
import { publishGeneration } from './objects.ts';

const LINE = '9 toy/model';
const SOON = { interval: 100 };
const UNREACHABLE = { code: 'STORE_UNREACHABLE' };

function open(url: string, timeoutMs: number, connections = 3): Database {
  const database = connect({ url, connections, timeoutMs });
  endWithTest(() => database.close());
  return database;
}

/** Makes the tables, and publishes one generation with a file of several chunks. */
async function publishOne(url: string): Promise<void> {
  const database = open(url, 20_000);
  await migrate(database, 'skillgate');
  const store = new PostgresStore(database, 'skillgate');
  const lease = await store.acquire(LINE, 'test', 60_000);
  await publishGeneration(store, lease!, 1, { 'a.segment': 9 * 2 ** 20, CURRENT: 100 });
  await database.close();
}

describe('behind a proxy', needsThat(serverPrograms() !== null, 'PostgreSQL'), () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  beforeAll(async () => {
    server = await postgresServer();
    await publishOne(server.url);
  });
  beforeAll(async () => {
    proxy = await tcpProxy(server.port);
  });
  afterEach(() => proxy.pass());
  afterAll(async () => {
    await proxy.close();
    await server.remove();
  });

  it('a silent database costs a transaction one time limit, as it does a query', async () => {
    const database = open(proxy.through(server.url), 3_000);
    await Promise.all([1, 2].map(() => database.query('select 1')));
    let stall = () => {};
    const stalled = new Promise<void>((resolve) => {
      stall = resolve;
    });
    const inside = database.transaction(async (transaction) => {
      await transaction.query('select 1');
      proxy.stall();
      stall();
      await transaction.query('select 2');
    });
    await stalled;
    // Half a limit later than a query that has to wait for its limit.
    const late = (async () => {
      await expect(database.query('select 3')).rejects.toMatchObject(UNREACHABLE);
      await sleep(1_500);
      return 'late';
    })();
    expect(await Promise.race([late, inside.catch(({ code }) => code)])).toBe('STORE_UNREACHABLE');
    await late;
    proxy.pass();
    expect(await database.query('select 5 as five')).toEqual([{ five: 5 }]);
  });

  it('a database that falls silent while a connection opens costs a time limit, and the next connection answers', async () => {
    const database = open(proxy.through(server.url), 2_000);
    // The first statement of each connection is lost.
    proxy.onSent((bytes) => !bytes.includes('search_path'));
    for (const on of [database, database.short])
      await expect(on.query('select 1')).rejects.toMatchObject(UNREACHABLE);
    proxy.onSent(() => true);
    for (const on of [database, database.short])
      expect(await on.query('select 7 as seven')).toEqual([{ seven: 7 }]);
  });

  it('a process that was busy for longer than the limit reads what has arrived before it gives up', async () => {
    const database = open(server.url, 500);
    for (const on of [database, database.short]) {
      await on.query('select 1');
      const answer = on.query('select pg_sleep(.1), 7 as seven');
      await sleep(10);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      expect(await answer).toMatchObject([{ seven: 7 }]);
    }
  });

  it.each(['questions', 'answers'] as const)(
    'a half-open connection costs a time limit, and nothing is done by halves: %s are lost',
    async (what) => {
      const writer = new PostgresStore(open(proxy.through(server.url), 2_000), 'skillgate');
      const line = `half-open ${what}`;
      const files = (await writer.newest(LINE))!.files;
      const lease = (await writer.acquire(line, 'writer', 60_000))!;
      await writer.publish(lease, null, { generation: 1, files });
      proxy.lose(what);
      const attempts = [
        writer.publish(lease, 1, { generation: 2, files }),
        writer.renew(lease, 60_000),
        writer.newest(line),
        pull(writer, line, memoryDirectory()),
      ];
      for (const attempt of attempts) attempt.catch(() => {});
      for (const attempt of attempts) await expect(attempt).rejects.toMatchObject(UNREACHABLE);
      proxy.pass();
      // What the server was asked may have been done: then as a whole, and the next attempt says so.
      const newest = (await writer.newest(line))!;
      expect([1, 2]).toContain(newest.version);
      expect(newest.files).toEqual(files);
      const again = await writer.publish(lease, newest.version, { generation: 3, files });
      expect(await pull(writer, line, memoryDirectory())).toMatchObject({ version: again.version });
    },
  );

  it('more queries than connections all end, with an answer or a time limit, and none is lost', async () => {
    const database = open(proxy.through(server.url), 2_000, 2);
    await database.query('select 1');
    proxy.stall();
    const asked = Array.from({ length: 30 }, () =>
      database.query('select 1').then(
        () => 'answer',
        ({ code }) => code,
      ),
    );
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['STORE_UNREACHABLE']));
    proxy.pass();
    const again = await Promise.all(
      Array.from({ length: 30 }, (_, at) => database.query(`select ${at} as at`)),
    );
    expect(again.map(([row]) => row)).toEqual(Array.from({ length: 30 }, (_, at) => ({ at })));
  });

  it('connections that break while an index is fetched fail the fetch, not the process', async () => {
    const database = open(proxy.through(server.url), 20_000);
    const store = new PostgresStore(database, 'skillgate');
    proxy.delay(50);
    for (let kill = 0; kill < 5; kill += 1) {
      const pulling = pull(store, LINE, memoryDirectory());
      pulling.catch(() => {});
      await sleep(60 + 60 * kill);
      proxy.cut();
      await expect(pulling).rejects.toMatchObject(UNREACHABLE);
      proxy.pass();
    }
    proxy.delay(0);
    expect(await pull(store, LINE, memoryDirectory())).toMatchObject({ generation: 1 });
  });

  it('notices arrive again after the network was cut or silent', async () => {
    const store = new PostgresStore(open(proxy.through(server.url), 2_000), 'skillgate');
    let notices = 0;
    const stop = store.onChange(() => {
      notices += 1;
    });
    const notify = () => server.query(`notify skillgate_changed`);
    const arrive = async () => {
      const before = notices;
      await expect
        .poll(async () => {
          await notify();
          return notices;
        }, SOON)
        .toBeGreaterThan(before);
    };
    await arrive();
    for (const fault of [proxy.cut, proxy.stall]) {
      fault();
      await expect(store.newest(LINE)).rejects.toMatchObject(UNREACHABLE);
      proxy.pass();
      await arrive();
    }
    stop();
  });
});

// Tried here and made before the tests, since nothing is cleaned up after tests that are filtered out.
const attempt = serverPrograms() === null ? null : ownNetwork();
attempt?.remove();

describe('in a network of its own', needsThat(attempt !== null, 'network namespaces and PostgreSQL'), () => {
  let own: OwnNetwork;
  let server: PostgresServer;
  beforeAll(async () => {
    own = ownNetwork()!;
    server = await postgresServer([], own);
    await publishOne(server.url);
  });
  afterAll(async () => {
    await server.remove();
    own.remove();
  });

  it('idle connections are probed, so that dead ones are replaced before a query needs them', async () => {
    const database = open(server.url, 2_000);
    const stop = database.listen('any', () => {});
    await Promise.all([1, 2, 3].map(() => database.query('select pg_sleep(.1)')));
    const connections = () =>
      spawnSync('ss', ['-tnoH', 'state', 'established', 'dst', own.address], { encoding: 'utf8' })
        .stdout.trim()
        .split('\n');
    // Every one within milliseconds or seconds, never minutes.
    await expect
      .poll(() => connections().filter((line) => !/keepalive,[\d.]+m?s(?:ec)?,/.test(line)), SOON)
      .toEqual([]);
    expect(connections().length).toBeGreaterThanOrEqual(4);
    stop();
  });

  it('a pulled cable costs a time limit, and nothing once it is plugged in', async () => {
    const database = open(server.url, 2_000);
    const store = new PostgresStore(database, 'skillgate');
    await Promise.all([1, 2, 3].map(() => database.query('select pg_sleep(.1)')));
    own.cut();
    await expect(pull(store, LINE, memoryDirectory())).rejects.toMatchObject(UNREACHABLE);
    await expect(store.addObjects([])).resolves.toBeUndefined();
    await expect(store.acquire(LINE, 'other', 1_000)).rejects.toMatchObject(UNREACHABLE);
    own.restore();
    await expect.poll(() => store.newest(LINE).catch(() => null), SOON).toMatchObject({ generation: 1 });
    expect(await pull(store, LINE, memoryDirectory())).toMatchObject({ generation: 1 });
  });
});
