/** Faults of a real server: it crashes, is gone for a while, has no connection left, and connections break during a publication. */

import { type AddressInfo, createConnection, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../extensions/postgres/database/connect.ts';
import { migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import type { IndexStore, Lease } from '../../../extensions/postgres/index-store.ts';
import { endWithTest } from '../../end-with-test.ts';
import { needsThat } from '../../needs.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../../postgres.ts';
import { objectOf, publishGeneration, pulledGeneration } from './objects.ts';

const LINE = '9 toy/model';
const SOON = { interval: 100 };
/** How many publications are interrupted: 200 and more by hand. */
const KILLS = Number(process.env.SKILLGATE_STORE_KILLS ?? 12);

describe('with a PostgreSQL server', needsThat(serverPrograms() !== null, 'PostgreSQL'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer(['max_connections=12', 'superuser_reserved_connections=1']);
    const database = connect({ url: server.url, connections: 1, timeoutMs: 5_000 });
    await migrate(database, 'skillgate');
    await database.close();
  });
  afterAll(() => server.remove());

  function open(name = 'skillgate', connections = 2): IndexStore {
    const url = `${server.url}?application_name=${name}`;
    const store = new PostgresStore(connect({ url, connections, timeoutMs: 5_000 }), 'skillgate');
    endWithTest(() => store.close());
    return store;
  }

  const SIZES = { 'a.segment': 3 * 2 ** 20, 'b.segment': 100, CURRENT: 100 };
  const publish = (store: IndexStore, lease: Lease, generation: number) =>
    publishGeneration(store, lease, generation, SIZES);
  const pulled = (store: IndexStore) => pulledGeneration(store, LINE);

  const leaseOf = async (store: IndexStore) => {
    let lease: Lease | null = null;
    await expect
      .poll(async () => {
        lease = await store.acquire(LINE, 'test', 1).catch(() => null);
        return lease;
      }, SOON)
      .not.toBeNull();
    return lease as unknown as Lease;
  };

  it('a publication whose connections break at any moment is there whole or not at all', async () => {
    const reader = open('reader');
    const ended = { published: 0, broken: 0 };
    let last = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const writer = open('victim', 1);
      const lease = await leaseOf(writer);
      const publishing = publish(writer, lease, last + 1).then(
        () => 'published' as const,
        () => 'broken' as const,
      );
      // Moments of the first publications; later ones are spread over what those took.
      const wait = Math.random() * 120;
      const breaking = new Promise((resolve) => setTimeout(resolve, wait)).then(() => endSessions('victim'));
      const end = await publishing;
      await breaking;
      ended[end] += 1;
      const found = (await pulled(reader)) ?? 0;
      // The answer to a commit may be lost, never a commit whose answer came.
      expect(end === 'published' ? [last + 1] : [last, last + 1]).toContain(found);
      last = found;
    }
    expect(ended.published + ended.broken).toBe(KILLS);
    const writer = open();
    expect(await publish(writer, await leaseOf(writer), last + 1)).toMatchObject({ generation: last + 1 });
    expect(await pulled(reader)).toBe(last + 1);
  }, 300_000);

  const endSessions = (name: string) =>
    server.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`);

  it('a lease ends with the connection of its holder, unless that one renews it by a new connection', async () => {
    const ttlMs = 600_000;
    const [holder, other] = [open('holder', 1), open('other', 1)];
    const lease = (await holder.acquire('lease', 'holder', ttlMs))!;
    expect(await other.acquire('lease', 'other', ttlMs)).toBeNull();
    await endSessions('holder');
    await expect.poll(() => holder.renew(lease, ttlMs).catch(() => false), SOON).toBe(true);
    expect(await other.acquire('lease', 'other', ttlMs)).toBeNull();
    await endSessions('holder');
    await expect.poll(() => other.acquire('lease', 'other', ttlMs), SOON).toMatchObject({ fence: 2 });
    expect(await holder.renew(lease, ttlMs).catch(() => holder.renew(lease, ttlMs))).toBe(false);
    // An older version sets no session: what an earlier holder left there says nothing about it.
    await server.query(`update skillgate.lease set fence = 3, holder = 'older' where line = 'lease'`);
    await endSessions('other');
    await expect.poll(() => holder.acquire('lease', 'holder', ttlMs).catch(() => 'broken'), SOON).toBeNull();
  });

  it('a lease ends in time although the clock of the database went back', async () => {
    const ttlMs = 60_000;
    const [holder, other] = [open('holder'), open('other')];
    const lease = await holder.acquire('clock', 'holder', ttlMs);
    // Another gateway may have a much shorter one.
    expect(await other.acquire('clock', 'other', 1_000)).toBeNull();
    // As if it had been given three hours ahead; its connection is open.
    await server.query(
      `update skillgate.lease set expires_at = expires_at + interval '3 hours' where line = 'clock'`,
    );
    expect(await other.acquire('clock', 'other', ttlMs)).toMatchObject({ fence: 2 });
    expect(await holder.renew(lease!, ttlMs)).toBe(false);
  });

  it('a crash and a pause of the server are survived by the same connections, and announced afterwards', async () => {
    const [reader, writer] = [open('reader'), open('writer')];
    const lease = await leaseOf(writer);
    const { generation } = await publish(writer, lease, 1_000);
    let notices = 0;
    const stop = reader.onChange(() => {
      notices += 1;
    });
    await server.stop('SIGQUIT');
    await expect(pulled(reader)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    await expect(publish(writer, lease, 1_001)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    expect(await writer.renew(lease, 60_000).catch(({ code }) => code)).toBe('STORE_UNREACHABLE');
    await server.start();
    await expect.poll(() => pulled(reader).catch(() => null), SOON).toBe(generation);
    // Nobody took the lease meanwhile, so its holder goes on.
    expect(await writer.renew(lease, 60_000)).toBe(true);
    const before = notices;
    await publish(writer, lease, 1_001);
    await expect.poll(() => notices, SOON).toBeGreaterThan(before);
    expect(await pulled(reader)).toBe(1_001);
    stop();
    await writer.release(lease);
  });

  it('a server without a free connection is out of reach until there is one', async () => {
    const reader = open('late');
    const others = await Promise.all(
      Array.from({ length: 14 }, async () => {
        const client = new pg.Client({ connectionString: server.url });
        client.on('error', () => {});
        return client.connect().then(
          () => client,
          () => null,
        );
      }),
    );
    expect(others).toContain(null);
    await expect(reader.newest(LINE)).rejects.toMatchObject({ code: 'STORE_CONNECTIONS' });
    for (const client of others) await client?.end();
    await expect.poll(() => reader.newest(LINE).catch(() => null), SOON).not.toBeNull();
  });

  it('garbage of any size is removed, in batches that each stay removed', async () => {
    const store = open('gc');
    const megabytes = 160;
    for (let at = 0; at < megabytes; at += 8)
      await store.addObjects([objectOf(Buffer.alloc(8 * 2 ** 20, `garbage ${at} `))]);
    const progress: number[] = [];
    const options = { keep: 1, liveSkills: null, graceMs: 0 };
    const { bytes } = await store.collect({ ...options, onProgress: (done) => progress.push(done.bytes) });
    expect(bytes).toBeGreaterThanOrEqual(megabytes * 2 ** 20);
    expect(progress.length).toBeGreaterThanOrEqual(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(await store.collect(options)).toMatchObject({ objects: 0, bytes: 0 });
  });

  it('a pooler is refused by name, before anything is read through it', async () => {
    // It answers for the server with process numbers of its own, in the message BackendKeyData.
    const pooler = createServer((client) => {
      const upstream = createConnection(server.port, '127.0.0.1');
      client.on('error', () => {}).pipe(upstream);
      upstream
        .on('error', () => {})
        .on('data', (bytes) => {
          const at = bytes.indexOf(Buffer.from('K\0\0\0\x0c', 'latin1'));
          if (at >= 0) bytes.writeInt32BE(7, at + 5);
          client.write(bytes);
        });
    });
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
    const { port } = pooler.address() as AddressInfo;
    const through = connect({ url: server.url.replace(`:${server.port}`, `:${port}`), timeoutMs: 5_000 });
    await expect(through.open()).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringContaining('PgBouncer'),
    });
    await through.close();
    pooler.close();
  });

  it('an object that was changed in the database is refused', async () => {
    const writer = open();
    const lease = await leaseOf(writer);
    const { files } = await publish(writer, lease, 2_000);
    const changed = files.find(({ name }) => name === 'a.segment')?.sha256;
    await server.query(
      `update skillgate.chunk set data = 'other' where sha256 = '${changed}' and number = 1`,
    );
    await expect(pulled(open('reader'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    // The next generation heals it.
    await publish(writer, lease, 2_001);
    expect(await pulled(open('reader'))).toBe(2_001);
  });
});
