/**
 * Attack: someone has the role of a gateway that only reads, or of none, and uses all that PostgreSQL grants it. Promise: it changes no
 * index, token, policy or lease, runs nothing with the rights of others, and keeps no other gateway from answering.
 */

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Database } from '../../../extensions/postgres/database/connect.ts';
import { grantsFor, migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import { SharedLog } from '../../../extensions/postgres/database/shared-log.ts';
import { SharedSettings } from '../../../extensions/postgres/database/shared-settings.ts';
import { openSharedState, publishPolicy } from '../../../extensions/postgres/gateway/shared-state.ts';
import { pull } from '../../../extensions/postgres/pull.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { policySchema } from '../../../src/app/config/schema.ts';
import { storeSchema } from '../../../src/app/config/sections/store.ts';
import { endWithTest } from '../../end-with-test.ts';
import { needsThat } from '../../needs.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../../postgres.ts';
import { publishGeneration } from './objects.ts';

const LINE = '9 toy/model';
const SOON = { interval: 100 };
const ROLES = { reader: 'reader', writer: 'writer', admin: 'boss' };
const POLICY = policySchema.parse({ rules: [{ who: ['a-principal-with-a-long-name'], allow: [{}] }] });

describe('a hostile role of a reader', needsThat(serverPrograms() !== null, 'PostgreSQL'), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
    for (const role of Object.values(ROLES)) await server.query(`create role ${role} login`);
    const owner = connect({ url: server.url, timeoutMs: 20_000 });
    await migrate(owner, 'skillgate');
    for (const grant of grantsFor('skillgate', ROLES)) await owner.query(grant);
    await owner.close();
  });
  afterAll(() => server.remove());

  const urlAs = (role: string) => server.url.replace('postgres@', `${role}@`);

  /** As a gateway connects. */
  function gateway(role: string): Database {
    const database = connect({ url: urlAs(role), timeoutMs: 20_000 });
    endWithTest(() => database.close());
    return database;
  }

  /** As an attacker connects. */
  async function attacker(role = 'reader'): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: urlAs(role) });
    client.on('error', () => {});
    await client.connect();
    endWithTest(() => client.end());
    return client;
  }

  /** Statements that PostgreSQL did not refuse for want of rights, with what came of them. */
  async function notDenied(client: pg.Client, statements: readonly string[]): Promise<string[]> {
    const others: string[] = [];
    for (const statement of statements) {
      const outcome = await client.query(statement).then(
        () => 'done',
        ({ code }) => code,
      );
      if (outcome !== '42501') others.push(`${outcome}: ${statement}`);
    }
    return others;
  }

  const configFor = (role: string, shares: readonly string[]) =>
    storeSchema.parse({ url: urlAs(role), shares, maxStaleRights: '6s' });

  async function publishOne(database: Database): Promise<void> {
    const store = new PostgresStore(database, 'skillgate');
    await store.addSkills([{ digest: 'a'.repeat(64), files: [] }]);
    const lease = await store.acquire(LINE, 'test', 60_000);
    await publishGeneration(store, lease!, 1, { 'a.segment': 2_000, CURRENT: 100 });
    await store.release(lease!);
  }

  it('writes no table but those of counts, gateways and audit lines', async () => {
    await publishOne(gateway('writer'));
    const client = await attacker();
    const tables = await server.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'skillgate'`,
    );
    expect(tables.length).toBeGreaterThanOrEqual(11);
    const open = ['usage', 'gateway'];
    for (const name of tables.map((table) => `skillgate.${table.name}`)) {
      const [column] = await server.query<{ name: string }>(
        `select column_name as name from information_schema.columns where 'skillgate.' || table_name = '${name}' order by ordinal_position desc limit 1`,
      );
      const attempts = [
        `update ${name} set ${column!.name} = ${column!.name}`,
        `delete from ${name}`,
        `insert into ${name} (${column!.name}) select ${column!.name} from ${name}`,
        `do $$ begin lock table ${name} in share row exclusive mode; end $$`,
        `select * from ${name} for update`,
        `truncate ${name}`,
        `alter table ${name} disable trigger all`,
        `create trigger t before insert on ${name} execute function suppress_redundant_updates_trigger()`,
        `create rule r as on insert to ${name} do instead nothing`,
        `create index on ${name} (${column!.name})`,
        `alter table ${name} owner to reader`,
        `comment on table ${name} is 'x'`,
      ];
      // Own rows, locks of rows and tables: what counts and the list of gateways need.
      const first = open.includes(name.replace('skillgate.', '')) ? 5 : 0;
      expect(await notDenied(client, attempts.slice(first))).toEqual([]);
    }
  });

  it('makes nothing in the schema, becomes no other role and ends no connection of another role', async () => {
    const client = await attacker();
    const writer = gateway('writer');
    const [{ pid }] = (await writer.query<{ pid: number }>('select pg_backend_pid() as pid')) as [
      { pid: number },
    ];
    const attempts = [
      'create table skillgate.own (id int)',
      'create view skillgate.own as select 1',
      `create function skillgate.own() returns int language sql as 'select 1'`,
      'create type skillgate.own as (id int)',
      'create operator skillgate.+ (leftarg = text, rightarg = text, function = textcat)',
      'create schema evil',
      'alter schema skillgate rename to other',
      'alter role writer set search_path = evil',
      'alter database postgres set search_path = evil',
      'set role writer',
      'set session authorization writer',
      `select pg_terminate_backend(${pid})`,
      `select pg_cancel_backend(${pid})`,
      `select setval('skillgate.audit_id_seq', 1)`,
      `select nextval('skillgate.audit_id_seq')`,
      `copy (select 1) to program 'true'`,
      `select pg_read_file('/etc/passwd')`,
      'create extension dblink',
      `create event trigger t on ddl_command_start execute function suppress_redundant_updates_trigger()`,
    ];
    expect(await notDenied(client, attempts)).toEqual([]);
    // Tables of its own session hide ours from nobody else.
    await client.query(`create temp table setting as select * from skillgate.setting`);
    await client.query('set search_path = pg_temp, skillgate');
    await expect(client.query(`insert into skillgate.setting values ('policy', 9, '{}')`)).rejects.toThrow();
  });

  it('runs nothing as another role by operators and functions in a schema that all search', async () => {
    // A database that was upgraded from PostgreSQL 14 lets every role write into `public`.
    await server.query('grant create on schema public to public');
    const client = await attacker();
    await client.query(`create table public.trap (ran_as name); grant all on public.trap to public`);
    const sprung = `begin insert into public.trap values (current_user)`;
    for (const type of ['text', 'int', 'bigint', 'float4'])
      await client.query(`
        create function public.trap_${type}(n ${type}, i interval) returns interval language plpgsql as
          $$ ${sprung}; return i operator(pg_catalog.*) n::float8; end $$;
        create operator public.* (leftarg = ${type}, rightarg = interval, function = public.trap_${type})`);
    await client.query(`
      create function public.jsonb_build_object(a text, b text, c text, d text, e text, f bigint) returns jsonb language plpgsql as
        $$ ${sprung}; return pg_catalog.jsonb_build_object(a, b, c, d, e, f); end $$;
      create function public.any_text(a text, b text[]) returns boolean language plpgsql as $$ ${sprung}; return true; end $$;
      create function public.trap_minus(a bigint, b text) returns bigint language plpgsql as
        $$ ${sprung}; return a operator(pg_catalog.-) b::bigint; end $$;
      create operator public.- (leftarg = bigint, rightarg = text, function = public.trap_minus);
      create function public.pg_notify(a varchar, b varchar) returns void language plpgsql as $$ ${sprung}; end $$`);
    try {
      const database = gateway('writer');
      await publishOne(database);
      const store = new PostgresStore(database, 'skillgate');
      const lease = await store.acquire(LINE, 'test', 60_000);
      expect(await store.renew(lease!, 60_000)).toBe(true);
      await store.collect({ keep: 1, liveSkills: ['b'.repeat(64)], graceMs: 0 });
      await store.status();
      expect(await pull(store, LINE, memoryDirectory())).toMatchObject({ generation: 1 });
      await store.release(lease!);
      expect(await server.query('select * from public.trap')).toEqual([]);
    } finally {
      await server.query(`
        drop table public.trap; revoke create on schema public from public;
        drop owned by reader; revoke all on schema public from reader`);
      for (const grant of grantsFor('skillgate', ROLES)) await server.query(grant);
    }
  });

  it('keeps no gateway from reading tokens and policy by a lock on what they share', async () => {
    await publishPolicy(configFor('boss', ['policy']), { env: {} }, POLICY);
    const said: string[] = [];
    const state = await openSharedState(
      configFor('writer', ['tokens', 'policy', 'audit']),
      { env: {} },
      (line) => said.push(line),
    );
    endWithTest(() => state.close());
    await expect.poll(() => state.rights?.refusal(), SOON).toBeNull();
    const client = await attacker();
    await client.query('begin');
    await client.query('lock table skillgate.usage, skillgate.gateway in access exclusive mode');
    const boss = gateway('boss');
    const calls = state.counter('calls', 60_000);
    for (const limit of [1, 2, 3]) {
      const changed = policySchema.parse({ rules: [{ who: ['alice'], allow: [{}], callsPerMinute: limit }] });
      await new SharedSettings(boss, 'skillgate').change('policy', () => changed);
      const seen = async () => {
        await calls.penalty('alice', 1);
        return state.policy?.grantsOf({ id: 'alice', scopes: [] }).callsPerMinute;
      };
      await expect.poll(seen, SOON).toBe(limit);
    }
    await client.query('rollback');
  });

  it('suppresses, reads and reorders no line of the audit log', async () => {
    const client = await attacker();
    const [one, other] = ['reader', 'writer'].map(
      (role) =>
        new SharedLog({
          database: gateway(role),
          schema: 'skillgate',
          writer: `${role}-name`,
          log: () => {},
          onLost: () => {},
        }),
    );
    one!.write('{"by":"one"}\n');
    other!.write('{"by":"other"}\n');
    await one!.close();
    const insert = 'insert into skillgate.audit (writer, seq, line)';
    const attempts = [
      'select * from skillgate.audit',
      'select writer, seq from skillgate.audit',
      'delete from skillgate.audit',
      `update skillgate.audit set line = ''`,
      `insert into skillgate.audit (id, writer, seq, line) overriding system value values (9223372036854775807, 'x', 1, 'x')`,
      `insert into skillgate.audit (added_at, writer, seq, line) values ('-infinity', 'x', 1, 'x')`,
      `${insert} values ('x', 1, 'x') returning id`,
      `${insert} values ('x', 1, 'x') on conflict (writer, seq) do nothing`,
    ];
    expect(await notDenied(client, attempts)).toEqual([]);
    await other!.close();
    const lines: string[] = [];
    for await (const line of SharedLog.lines(gateway('boss'), 'skillgate')) lines.push(line);
    expect(lines.toSorted()).toEqual(['{"by":"one"}', '{"by":"other"}']);
  });

  it('names itself where it says that it reads no policy, whatever it says', async () => {
    const client = await attacker();
    const report = (reads: unknown) => reportText(JSON.stringify(reads));
    const reportText = (reads: string) =>
      client.query(
        `insert into skillgate.gateway (name, reads) values ('evil', $1::jsonb) on conflict (name) do update set reads = excluded.reads, seen_at = clock_timestamp()`,
        [reads],
      );
    const publish = () => publishPolicy(configFor('boss', ['policy']), { env: {} }, POLICY);
    const circle = { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } };
    const long = { description: 'x'.repeat(1_000_000) };
    const deep = `${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`;
    const texts = [{ type: 'nonsense' }, 7, null, [], circle, long].map((reads) => JSON.stringify(reads));
    for (const reads of [...texts, deep]) {
      await reportText(reads);
      await expect(publish(), reads.slice(0, 80)).rejects.toMatchObject({
        message: expect.stringMatching(/evil/),
      });
    }
    // One with a pattern that would take hours costs nothing.
    const who = { items: { type: 'string', pattern: '^(.|.)*(.|.)*(.|.)*(.|.)*(.|.)*(.|.)*!$' } };
    const rules = { items: { properties: { who } } };
    await report({ properties: { rules } });
    await publish();
  });

  it('floods notices at no cost but that of polls', async () => {
    const client = await attacker();
    const store = new PostgresStore(gateway('reader'), 'skillgate');
    let notices = 0;
    const stop = store.onChange(() => {
      notices += 1;
    });
    await expect.poll(() => notices, SOON).toBeGreaterThan(0);
    await client.query(
      `do $$ begin for i in 1..20000 loop perform pg_notify('skillgate_changed', i::text); end loop; end $$`,
    );
    await expect.poll(() => notices, SOON).toBeGreaterThan(20_000);
    expect(await store.newest(LINE)).not.toBeNull();
    stop();
  });
});
