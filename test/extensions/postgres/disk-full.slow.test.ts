/** A disk that is full at any point of a publication: on a small file system of the test's own, where it may mount one. */

import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../extensions/postgres/database/connect.ts';
import { migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import type { IndexStore } from '../../../extensions/postgres/index-store.ts';
import { needsThat } from '../../needs.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../../postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { publishGeneration, pulledGeneration } from './objects.ts';

const LINE = '9 toy/model';
const SIZES = { 'a.segment': 2 ** 20, 'b.segment': 2 ** 20, CURRENT: 100 };
/** Left free before a publication of about 2 MB, bytes: it ends at its first object, between two, or at its last rows. */
const FREE = [0, 300_000, 1_100_000, 1_900_000, 2_200_000];

/** A file system of 24 MB; null where it may not be mounted. */
function smallDisk() {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    /** Leaves about so many bytes. */
    fill(free: number) {
      rmSync(filler, { force: true });
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)));
    },
    clear: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

// Tried here and made before the tests, since nothing is cleaned up after tests that are filtered out.
const attempt = smallDisk();
attempt?.remove();

describe('a full disk', needsThat(attempt !== null, 'a small disk that can be mounted'), () => {
  let disk: NonNullable<typeof attempt>;
  let server: PostgresServer | null = null;
  beforeAll(() => {
    disk = smallDisk()!;
  });
  afterAll(async () => {
    await server?.remove();
    disk.remove();
  });

  async function publishesWholeOrNothing(store: IndexStore) {
    const lease = await store.acquire(LINE, 'test', 600_000);
    let last: number | null = null;
    const failures: unknown[] = [];
    const publish = async (generation: number) => {
      await publishGeneration(store, lease!, generation, SIZES);
      last = generation;
    };
    for (const [at, free] of FREE.entries()) {
      disk.fill(free);
      await publish(2 * at + 1).catch((error) => failures.push(error));
      expect(await pulledGeneration(store, LINE)).toBe(last);
      disk.clear();
      await publish(2 * at + 2);
      expect(await pulledGeneration(store, LINE)).toBe(last);
      // Space of what was undone or removed becomes free.
      await store.collect({ keep: 1, liveSkills: null, graceMs: 0 });
      await server?.query('vacuum full skillgate.chunk');
    }
    expect(failures.length).toBeGreaterThan(2);
    for (const failure of failures)
      expect(failure).toMatchObject({ code: 'STORE_FULL', message: expect.stringContaining('Free space') });
  }

  it(
    'of the database: a publication is whole or absent, and goes on once there is space',
    needsThat(serverPrograms() !== null, 'PostgreSQL'),
    async () => {
      server = await postgresServer();
      const place = join(disk.folder, 'tablespace');
      mkdirSync(place);
      chownSync(place, server.owner.uid, server.owner.gid);
      await server.query(`create tablespace small location '${place}'`);
      await server.query('alter database postgres set default_tablespace = small');
      const database = connect({ url: server.url, connections: 2, timeoutMs: 30_000 });
      await migrate(database, 'skillgate');
      const store = new PostgresStore(database, 'skillgate');
      await publishesWholeOrNothing(store);
      await store.close();
      await server.remove();
      server = null;
    },
  );
});
