/** PostgreSQL for tests: PGlite in this process, and a server of its own where this machine has one. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Database, Querying } from '../src/store/public.ts';

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

/** Whether that server has pgvector, for searches in the database. */
export function hasVector(): boolean {
  const programs = serverPrograms();
  if (programs === null) return false;
  const folder = execFileSync(join(programs, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
  return existsSync(join(folder, 'extension/vector.control'));
}

export interface PostgresServer {
  /** As its superuser. */
  readonly url: string;
  readonly port: number;
  /** The server's own folder, for certificates. */
  readonly folder: string;
  start(settings?: readonly string[]): Promise<void>;
  /** `SIGINT` ends connections, `SIGQUIT` is a crash. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** Starts a server with an empty database on loopback. */
export async function postgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const programs = serverPrograms();
  if (programs === null) throw new Error('There is no PostgreSQL server on this machine.');
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-postgres-'));
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, stdio: 'pipe' } as const;
  const how = ['-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  execFileSync(join(programs, 'initdb'), ['-D', data, ...how], options);
  const port = await freePort();
  let server: ChildProcess | null = null;
  const start = async (more: readonly string[] = []) => {
    const given = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
    const args = [...given, ...settings, ...more].flatMap((setting) => ['-c', setting]);
    server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...args], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    const ready = () => {
      try {
        execFileSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], {
          stdio: 'ignore',
        });
        return true;
      } catch {
        return false;
      }
    };
    for (let tries = 0; tries < 300 && !ready(); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    const own = server;
    server = null;
    if (own === null) return;
    const exited = new Promise((resolve) => own.once('exit', resolve));
    own.kill(signal);
    await exited;
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    start,
    stop,
    async remove() {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

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
