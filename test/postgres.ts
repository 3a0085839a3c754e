/** PostgreSQL for tests: PGlite in this process, and a server of its own where this machine has one. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Database } from '../extensions/postgres/database/connect.ts';
import type { Querying } from '../extensions/postgres/database/control.ts';
import type { OwnNetwork } from './own-network.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A database in memory. Several `Database`s over it behave as connections of several gateways. */
export async function pglite(): Promise<{
  readonly open: () => Database;
  readonly close: () => Promise<void>;
}> {
  const lite = await PGlite.create();
  const querying = (on: Pick<PGlite, 'query'>): Querying => ({
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await on.query<Row>(text, [...values])).rows,
  });
  const open = (): Database => ({
    ...querying(lite),
    short: querying(lite),
    open: async () => {},
    bytes: async (text) => (await lite.query<{ data: Uint8Array }>(text)).rows.map(({ data }) => data),
    transaction: (use) => lite.transaction((transaction) => use(querying(transaction as never))),
    listen(channel, onNotice) {
      const stop = lite.listen(channel, onNotice);
      return () => void stop.then((end) => end());
    },
    close: async () => {},
  });
  return { open, close: () => lite.close() };
}

/** Folder of the server's programs; null where there is none. */
export function serverPrograms(): string | null {
  try {
    const root = '/usr/lib/postgresql';
    const versions = readdirSync(root).filter((version) => Number(version) >= 15);
    const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
    return newest === undefined ? null : join(root, newest, 'bin');
  } catch {
    return null;
  }
}

export interface PostgresServer {
  /** As its superuser. */
  readonly url: string;
  /** Rows of one statement, as the superuser. */
  query<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  readonly port: number;
  /** Of its first process, whose children are all others. */
  pid(): number;
  /** The server's own folder, for certificates. */
  readonly folder: string;
  /** Who it runs as: owns the files that it reads. */
  readonly owner: { readonly uid: number; readonly gid: number };
  start(settings?: readonly string[]): Promise<void>;
  /** `SIGINT` ends connections, `SIGQUIT` is a crash. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** Starts a server with an empty database: on loopback, or in a network of its own. */
export async function postgresServer(
  settings: readonly string[] = [],
  network: OwnNetwork | null = null,
): Promise<PostgresServer> {
  const programs = serverPrograms();
  if (programs === null) throw new Error('There is no PostgreSQL server on this machine.');
  const folder = temporaryFolder();
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, stdio: 'pipe' } as const;
  const how = ['-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  execFileSync(join(programs, 'initdb'), ['-D', data, ...how], options);
  let port = await freePort();
  const host = network?.address ?? '127.0.0.1';
  appendFileSync(join(data, 'pg_hba.conf'), `host all all ${host}/24 trust\n`);
  // What runs it there runs it as root.
  const [program, ...before] = [
    ...(network === null ? [] : [...network.within, ...asUser(user)]),
    join(programs, 'postgres'),
  ] as const;
  let server: ChildProcess | null = null;
  const start = async (more: readonly string[] = []) => {
    const given = ['fsync=off', `listen_addresses=${host}`, `unix_socket_directories=${folder}`];
    const args = [...given, ...settings, ...more].flatMap((setting) => ['-c', setting]);
    server = spawn(program, [...before, '-D', data, '-p', String(port), ...args], {
      ...(network === null ? user : {}),
      cwd: folder,
      stdio: 'ignore',
    });
    const ready = () => {
      try {
        execFileSync(join(programs, 'pg_isready'), ['-h', host, '-p', String(port)], { stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    };
    for (let tries = 0; tries < 1_000 && server.exitCode === null && !ready(); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode} at its start.`);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    const own = server;
    server = null;
    if (own === null) return;
    const exited = new Promise((resolve) => own.once('exit', resolve));
    own.kill(signal);
    await exited;
  };
  // Another process may take the port first.
  for (let tries = 1; ; tries += 1)
    try {
      await start();
      break;
    } catch (error) {
      if (tries === 3) throw error;
      port = await freePort();
    }
  const url = `postgres://postgres@${host}:${port}/postgres`;
  return {
    url,
    async query<Row>(text: string) {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(text)).rows as Row[];
      } finally {
        await client.end();
      }
    },
    port,
    pid: () => server?.pid ?? 0,
    folder,
    owner: user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    start,
    stop,
    async remove() {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const asUser = (user: { readonly uid: number; readonly gid: number } | null) =>
  user === null ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];

const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
