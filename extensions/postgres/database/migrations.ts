/**
 * The tables, as a list of steps that only add: a gateway of an older version goes on with the tables of a newer one. A step
 * that is released never changes. Postgrator runs them, in one transaction and under a lock.
 */

import { createHash } from 'node:crypto';
import Postgrator from 'postgrator';
import { StoreError } from '../index-store.ts';
import type { Database } from './connect.ts';
import type { Querying } from './control.ts';

export interface Step {
  readonly name: string;
  readonly sql: (schema: string) => string;
}

/** Chunks are stored as they are: compressing them again would cost time and win nothing. */
export const STEPS: readonly Step[] = [
  {
    name: 'index',
    sql: (s) => `
      create table ${s}.object (
        sha256 text primary key, bytes bigint not null, added_at timestamptz not null default now());
      create table ${s}.chunk (
        sha256 text references ${s}.object on delete cascade, number int, data bytea not null,
        primary key (sha256, number));
      alter table ${s}.chunk alter column data set storage external;
      create table ${s}.generation (
        line text, version bigint, generation bigint not null, fence bigint not null,
        published_at timestamptz not null default now(), primary key (line, version));
      create table ${s}.generation_file (
        line text, version bigint, name text, sha256 text not null references ${s}.object,
        primary key (line, version, name),
        foreign key (line, version) references ${s}.generation on delete cascade);
      create index on ${s}.generation_file (sha256);
      create table ${s}.skill (
        digest text primary key, files jsonb not null, added_at timestamptz not null default now());
      create table ${s}.skill_object (
        digest text references ${s}.skill on delete cascade, sha256 text references ${s}.object,
        primary key (digest, sha256));
      create index on ${s}.skill_object (sha256);
      create table ${s}.lease (
        line text primary key, holder text not null, fence bigint not null, expires_at timestamptz not null);`,
  },
  {
    name: 'shared-state',
    sql: (s) => `
      create table ${s}.setting (
        name text primary key, version bigint not null, value jsonb not null,
        changed_at timestamptz not null default now());
      create unlogged table ${s}.usage (
        key text, started bigint, points bigint not null, primary key (key, started));
      create table ${s}.audit (
        id bigint generated always as identity primary key, writer text not null, seq bigint not null,
        line text not null, added_at timestamptz not null default now(), unique (writer, seq));`,
  },
  {
    name: 'gateways',
    sql: (s) => `
      create unlogged table ${s}.gateway (
        name text primary key, reads jsonb not null, seen_at timestamptz not null default now());`,
  },
  {
    // The server process of the holder's connection, and the fence of that holder: an older version sets neither.
    name: 'lease-session',
    sql: (s) => `alter table ${s}.lease add column session int, add column session_fence bigint;`,
  },
];

/** The newest step: what this program needs at least. */
const SCHEMA_VERSION = STEPS.length;

/** Number of the advisory lock that one migration at a time holds. Any number that no other program uses. */
const LOCK = 1_928_849_041;

/**
 * Creates or updates the tables; gateways may go on meanwhile. Returns the names of the steps that it took.
 */
export async function migrate(database: Database, schema: string, steps = STEPS): Promise<string[]> {
  return database.transaction(async (transaction) => {
    await transaction.query(`select pg_advisory_xact_lock(${LOCK})`);
    const migrator = new Migrator(transaction, schema, steps);
    const done = await migrator.migrate();
    return done.map(({ name }) => name);
  });
}

class Migrator extends Postgrator {
  readonly #steps: readonly Postgrator.Migration[];

  constructor(database: Querying, schema: string, steps: readonly Step[]) {
    const execQuery = async (query: string) => ({ rows: [...(await database.query(query))] });
    const options: Postgrator.PostgreSQLOptions = {
      driver: 'pg',
      schemaTable: `${schema}.schema_version`,
      execQuery,
      // One statement at a time: PGlite takes no more.
      async execSqlScript(script) {
        for (const statement of script.split(';').filter((text) => text.trim() !== ''))
          await database.query(statement);
      },
    };
    super(options);
    this.#steps = steps.map(({ name, sql }, at) => ({
      version: at + 1,
      action: 'do',
      name,
      filename: name,
      md5: createHash('md5').update(sql(schema)).digest('hex'),
      getSql: () => sql(schema),
    }));
  }

  /** The steps are part of the program: there are no files to read. */
  override async getMigrations(): Promise<Postgrator.Migration[]> {
    const migrations = [...this.#steps];
    // What the rest of the class reads; its types do not name it.
    Object.assign(this, { migrations });
    return migrations;
  }
}

/** Throws `STORE_MISSING` or `STORE_SCHEMA` where the tables are not there or too old. Newer ones are fine. */
export async function requireSchema(database: Querying, schema: string): Promise<void> {
  const [table] = await database.query<{ found: string | null }>(
    `select to_regclass('${schema}.schema_version')::text as found`,
  );
  if (table?.found == null)
    throw new StoreError(
      'STORE_MISSING',
      `The database has no tables of skillgate in the schema ${schema}. Run skillgate store init, with a role that may create them.`,
    );
  const [row] = await database.query<{ version: number }>(
    `select max(version)::int as version from ${schema}.schema_version`,
  );
  if ((row?.version ?? 0) < SCHEMA_VERSION)
    throw new StoreError(
      'STORE_SCHEMA',
      `The tables of skillgate have version ${row?.version ?? 0}; this program needs ${SCHEMA_VERSION}. Run skillgate store init, which adds what is missing while gateways run.`,
    );
}

/** Names of roles that exist. */
export interface Roles {
  /** Of gateways that only answer. */
  readonly reader: string;
  /** Of gateways that also fetch, index and publish. */
  readonly writer: string;
  /** Of people who make tokens and set the policy. */
  readonly admin: string;
}

/** SQL that gives these roles the rights that they need and no more. No gateway can make tokens or set the policy. */
export function grantsFor(schema: string, roles: Roles): string[] {
  const quoted = (role: string) => `"${role.replaceAll('"', '""')}"`;
  const [reader, writer, admin] = [roles.reader, roles.writer, roles.admin].map(quoted);
  const on = (...tables: string[]) => tables.map((table) => `${schema}.${table}`).join(', ');
  return [
    `grant usage on schema ${schema} to ${reader}, ${writer}, ${admin}`,
    `grant select on all tables in schema ${schema} to ${reader}, ${writer}, ${admin}`,
    `grant insert, update, delete on ${on('usage', 'gateway')} to ${reader}, ${writer}`,
    // A gateway that could read the names and numbers of others' lines could take the next ones; one that sets an id, the order.
    `revoke all on ${on('audit')} from ${reader}, ${writer}`,
    `grant insert (writer, seq, line) on ${on('audit')} to ${reader}, ${writer}`,
    // Where one role is several of them, the later lines hold.
    `grant select on ${on('audit')} to ${admin}`,
    `grant insert, delete on ${on('chunk', 'generation', 'generation_file', 'skill_object')} to ${writer}`,
    `grant insert, update, delete on ${on('object', 'skill')} to ${writer}`,
    `grant insert, update on ${on('lease')} to ${writer}`,
    `revoke insert, update on ${on('setting')} from ${reader}, ${writer}`,
    `grant insert, update on ${on('setting')} to ${admin}`,
  ];
}
