/** Tables are added online: an older gateway goes on with those of a newer one. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  grantsFor,
  migrate,
  requireSchema,
  STEPS,
} from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import { pglite } from '../../postgres.ts';

const LINE = '9 toy/model';

describe('migrations', () => {
  let lite: Awaited<ReturnType<typeof pglite>>;
  beforeAll(async () => {
    lite = await pglite();
  });
  afterAll(() => lite.close());

  it('name what is missing, and how to add it', async () => {
    const database = lite.open();
    await expect(requireSchema(database, 'fresh')).rejects.toMatchObject({
      code: 'STORE_MISSING',
      message: expect.stringContaining('skillgate store init'),
    });
    await migrate(database, 'fresh', STEPS.slice(0, 1));
    await expect(requireSchema(database, 'fresh')).rejects.toMatchObject({ code: 'STORE_SCHEMA' });
    expect(await migrate(database, 'fresh')).toEqual(STEPS.slice(1).map(({ name }) => name));
    await requireSchema(database, 'fresh');
    expect(await migrate(database, 'fresh')).toEqual([]);
  });

  it('leave older gateways working: two versions side by side', async () => {
    const database = lite.open();
    await migrate(database, 'grown');
    const older = new PostgresStore(lite.open(), 'grown');
    const lease = await older.acquire(LINE, 'older', 60_000);
    await older.publish(lease!, null, { generation: 1, files: [] });

    const next = {
      name: 'next-version',
      sql: (schema: string) => `
        alter table ${schema}.generation add column note text not null default '';
        create table ${schema}.later (id int primary key);`,
    };
    expect(await migrate(database, 'grown', [...STEPS, next])).toEqual(['next-version']);

    // The older program finds tables that are newer than its own, continues to write, and migrates nothing back.
    await requireSchema(database, 'grown');
    expect(await migrate(database, 'grown')).toEqual([]);
    const newer = new PostgresStore(lite.open(), 'grown');
    expect(await older.publish(lease!, 1, { generation: 2, files: [] })).toMatchObject({ version: 2 });
    expect(await newer.newest(LINE)).toMatchObject({ generation: 2 });
    // The newer program's format is another line: each follows its own.
    const own = await newer.acquire('10 toy/model', 'newer', 60_000);
    await newer.publish(own!, null, { generation: 7, files: [] });
    expect(await older.newest(LINE)).toMatchObject({ generation: 2 });
    expect(await newer.newest('10 toy/model')).toMatchObject({ generation: 7 });
  });

  it('refuse a step that was changed after its release', async () => {
    const database = lite.open();
    await migrate(database, 'changed');
    const [first, ...others] = STEPS;
    const changed = { name: first!.name, sql: (schema: string) => `${first!.sql(schema)} select 1;` };
    await expect(migrate(database, 'changed', [changed, ...others])).rejects.toThrow('MD5 checksum');
  });

  it('give a reader no right to publish, no gateway a right to make tokens, and no role one to change tables', async () => {
    const database = lite.open();
    await migrate(database, 'rights');
    await database.query('create role "the reader"');
    await database.query('create role writer');
    await database.query('create role admin');
    for (const grant of grantsFor('rights', { reader: 'the reader', writer: 'writer', admin: 'admin' }))
      await database.query(grant);
    const can = async (role: string, table: string, right: string) => {
      const [row] = await database.query<{ can: boolean }>(`select has_table_privilege($1, $2, $3) as can`, [
        role,
        `rights.${table}`,
        right,
      ]);
      return row?.can;
    };
    for (const table of ['object', 'chunk', 'generation', 'generation_file', 'skill', 'lease', 'setting']) {
      expect(await can('the reader', table, 'select'), table).toBe(true);
      expect(await can('the reader', table, 'insert, update, delete'), table).toBe(false);
      expect(await can('writer', table, 'insert'), table).toBe(table !== 'setting');
      expect(await can('admin', table, 'insert, update, delete'), table).toBe(table === 'setting');
    }
    for (const role of ['the reader', 'writer'])
      expect(await can(role, 'setting', 'insert, update, delete'), role).toBe(false);
    expect(await can('writer', 'audit', 'update, delete'), 'audit').toBe(false);
    expect(await can('admin', 'audit', 'select'), 'audit').toBe(true);
    await database.query('set role writer');
    await expect(database.query('create table rights.own (id int)')).rejects.toThrow('permission denied');
    await database.query('reset role');
  });

  it('let a role that is all three read the audit log', async () => {
    const database = lite.open();
    await migrate(database, 'one_role');
    await database.query('create role everyone');
    for (const grant of grantsFor('one_role', { reader: 'everyone', writer: 'everyone', admin: 'everyone' }))
      await database.query(grant);
    expect(
      await database.query(`select has_table_privilege('everyone', 'one_role.audit', 'select') as can`),
    ).toEqual([{ can: true }]);
  });

  it('leave gateways of both versions their rights until the roles are named again', async () => {
    const database = lite.open();
    await migrate(database, 'upgraded', STEPS.slice(0, 2));
    for (const role of ['gateway', 'overseer']) await database.query(`create role ${role}`);
    // What the version before gave its writer.
    for (const grant of [
      'usage on schema upgraded',
      'select on all tables in schema upgraded',
      'insert, delete on upgraded.generation',
      'insert, update on upgraded.lease, upgraded.setting',
      'insert on upgraded.audit',
    ])
      await database.query(`grant ${grant} to gateway`);
    await migrate(database, 'upgraded');
    const audit = (seq: number, conflict: string) =>
      database.query(
        `insert into upgraded.audit (writer, seq, line) values ('one', ${seq}, 'line') on conflict ${conflict} do nothing`,
      );
    await database.query('set role gateway');
    const store = new PostgresStore(lite.open(), 'upgraded');
    const lease = await store.acquire(LINE, 'one', 60_000);
    expect(await store.renew(lease!, 60_000)).toBe(true);
    await audit(1, '(writer, seq)');
    await audit(2, '');
    await database.query('reset role');
    for (const grant of grantsFor('upgraded', { reader: 'gateway', writer: 'gateway', admin: 'overseer' }))
      await database.query(grant);
    await database.query('set role gateway');
    await audit(3, '');
    await expect(audit(4, '(writer, seq)')).rejects.toThrow('permission denied');
    await database.query('reset role');
  });
});
