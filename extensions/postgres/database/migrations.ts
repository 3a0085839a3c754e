/**
 * The tables, as a list of steps that only add: a gateway of an older version goes on with the tables of a newer one. A step
 * that is released never changes. Postgrator runs them, in one transaction and under a lock.
 */

import { createHash } from 'node:crypto';
import Postgrator from 'postgrator';
import { StoreError } from '../index-store.ts';
import type { Database, Querying } from './connect.ts';

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
];

/** The newest step: what this program needs at least. */
const SCHEMA_VERSION = STEPS.length;

/** Number of the advisory lock that one migration at a time holds. Any number that no other program uses. */
const LOCK = 1_928_849_041;

/**
 * Creates or updates the tables; gateways may go on meanwhile. Returns the names of the steps that it took. `table` counts them:
 * a list of steps has its own.
 */
export async function migrate(
  database: Database,
  schema: string,
  steps = STEPS,
  table = `${schema}.schema_version`,
): Promise<string[]> {
  return database.transaction(async (transaction) => {
    await transaction.query(`select pg_advisory_xact_lock(${LOCK})`);
    const migrator = new Migrator(transaction, schema, steps, table);
    const done = await migrator.migrate();
    return done.map(({ name }) => name);
  });
}

class Migrator extends Postgrator {
  readonly #steps: readonly Postgrator.Migration[];

  constructor(database: Querying, schema: string, steps: readonly Step[], schemaTable: string) {
    const execQuery = async (query: string) => ({ rows: [...(await database.query(query))] });
    const options: Postgrator.PostgreSQLOptions = {
      driver: 'pg',
      schemaTable,
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
      `The tables of skillgate have version ${row?.version ?? 0}; this program needs ${SCHEMA_VERSION}. Run skillgate store init, which adds what is missing; gateways may go on meanwhile.`,
    );
}

/**
 * SQL that gives two roles the rights that they need and no more: the reader's role answers; the writer's role also fetches,
 * indexes and publishes. Both exist already.
 */
export function grantsFor(
  schema: string,
  { reader, writer }: { readonly reader: string; readonly writer: string },
): string[] {
  const [r, w] = [reader, writer].map((role) => `"${role.replaceAll('"', '""')}"`);
  const both = `${r}, ${w}`;
  const on = (...tables: string[]) => tables.map((table) => `${schema}.${table}`).join(', ');
  return [
    `grant usage on schema ${schema} to ${both}`,
    `grant select on all tables in schema ${schema} to ${both}`,
    `grant insert, update, delete on ${on('usage')} to ${both}`,
    `grant insert on ${on('audit')} to ${both}`,
    `grant insert, delete on ${on('chunk', 'generation', 'generation_file', 'skill_object')} to ${w}`,
    `grant insert, update, delete on ${on('object', 'skill')} to ${w}`,
    `grant insert, update on ${on('lease', 'setting')} to ${w}`,
  ];
}
