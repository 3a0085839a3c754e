/**
 * The database of the store, over `pg` (tests also use PGlite), by at most three connections: two for statements that move much, and one
 * that listens and takes short statements, which never wait behind the others (`control.ts`). A statement fails while the server is
 * away, and the next one may succeed.
 */

import type { Stats } from 'node:fs';
import pg, { type ClientConfig, type PoolClient } from 'pg';
import { readRegularSync } from '../../../src/base/files/read.ts';
import { withTimeout } from '../../../src/base/timing.ts';
import { StoreError } from '../index-store.ts';
import { Control, type Querying, SEARCH_PATH } from './control.ts';
import { copied } from './copied.ts';
import { endAfterSilence } from './silence.ts';
import { CONNECTIONS, storeErrorOf } from './store-error.ts';

export interface Database extends Querying {
  /** Short statements, one after another, that never wait behind large ones. */
  readonly short: Querying;
  /** Opens all connections. Rejects with `STORE_CONNECTIONS` where the server has not so many left. */
  open(): Promise<void>;
  /**
   * The rows of a query for one column of type `bytea`. It takes no parameters. `into`: memory for the rows, in their order, so that a
   * caller of many queries needs no new memory for each; a row without enough of it gets its own.
   */
  bytes(query: string, into?: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  /** Commits what `use` did, or undoes it where `use` rejects. `silenceMs`: the server may take so long for one statement. */
  transaction<Result>(
    use: (database: Querying) => Promise<Result>,
    options?: { readonly silenceMs?: number },
  ): Promise<Result>;
  /** Calls back for each notice on the channel, and after each time that notices may have been missed. */
  listen(channel: string, onNotice: () => void): () => void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /**
   * `postgres://…`; may hold a password. As for `psql`, `sslrootcert`, `sslcert` and `sslkey` name PEM files: of the
   * authorities, and of a client certificate.
   */
  readonly url: string;
  /** Most connections of those that move much. Default: 2. */
  readonly connections?: number;
  /** Longest time for a connection, and longest silence while an answer is awaited, ms: then the connection counts as cut. */
  readonly timeoutMs: number;
}

/** An idle connection is probed after this time, ms: the system's own choice is two hours, and a dead one would cost the next query its time limit. */
const KEEP_ALIVE_MS = 2_000;

/**
 * A gateway that stops in the middle of a transaction (stopped, suspended, out of memory) would keep its locks, and with them the lease. The
 * server ends its connection after this time, ms.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

/** A statement waits this many time limits for a connection: others may be at work on all. */
const WAITS = 3;

/** Longest wait for active queries at the end, ms. */
const CLOSE_MS = 5_000;

/** Opens no connection before the first query. */
export function connect(options: ConnectOptions): Database {
  const settings = clientSettings(options);
  const most = options.connections ?? CONNECTIONS - 1;
  // Idle connections stay: a gateway that has its connections keeps them.
  const pool = new pg.Pool({
    ...settings,
    max: most,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: WAITS * options.timeoutMs,
    onConnect: async (client) => {
      const stop = endAfterSilence(client, options.timeoutMs);
      await client.query(SEARCH_PATH).finally(stop);
    },
  });
  // An idle connection that breaks is replaced by the pool.
  pool.on('error', () => {});
  const control = new Control(settings, options.timeoutMs);
  const lend = <Result>(use: (client: PoolClient) => Promise<Result>, silenceMs = options.timeoutMs) =>
    onConnection(pool, silenceMs, use);
  const run = async <Row>(
    on: Pick<PoolClient, 'query'>,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> => {
    try {
      const { rows } = await on.query(text, [...values]);
      return rows;
    } catch (error) {
      throw storeErrorOf(error);
    }
  };
  return {
    query: (text, values) => lend((client) => run(client, text, values)),
    bytes: (query, into) => lend((client) => copied(client, query, into)),
    transaction: (use, { silenceMs } = {}) =>
      lend(async (client) => {
        const querying: Querying = { query: (text, values) => run(client, text, values) };
        await querying.query(BEGIN);
        const result = await use(querying);
        await querying.query('commit');
        return result;
      }, silenceMs),
    short: control,
    async open() {
      await control.query('select 1');
      let opened = 0;
      let all = () => {};
      const others = new Promise<void>((resolve) => {
        all = resolve;
      });
      // At the same time, so that none is lent twice.
      const opening = Array.from({ length: most }, () =>
        lend(async () => {
          opened += 1;
          if (opened === most) all();
          await others;
        }),
      );
      await Promise.all(opening).finally(all);
    },
    listen: (channel, onNotice) => control.listen(channel, onNotice),
    async close() {
      control.close();
      // The pool waits for each connection, also for one whose answer never comes.
      await withTimeout(pool.end(), CLOSE_MS, () => {});
    },
  };
}

/**
 * Lends a connection of the pool. One on which something failed is ended: the server undoes its transaction, and a `rollback` would
 * wait behind an answer that may never come.
 */
async function onConnection<Result>(
  pool: pg.Pool,
  silenceMs: number,
  use: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  let isBroken = false;
  let stop = () => {};
  // Without a listener, a connection that breaks would end the process.
  const onError = () => {
    isBroken = true;
  };
  try {
    client = await pool.connect();
    client.on('error', onError);
    stop = endAfterSilence(client, silenceMs);
    return await use(client);
  } catch (error) {
    isBroken = true;
    throw storeErrorOf(error);
  } finally {
    stop();
    client?.release(isBroken);
    client?.off('error', onError);
  }
}

function clientSettings({ url, timeoutMs }: ConnectOptions): ClientConfig {
  return {
    ...withTls(url),
    application_name: 'skillgate',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: timeoutMs,
  };
}

/**
 * Where the address names a file of TLS, the server's certificate is always checked, whatever `sslmode` says: the driver
 * would check none with `disable`, and would read a key that others may read.
 */
function withTls(address: string): Pick<ClientConfig, 'connectionString' | 'ssl'> {
  const [plain, query = ''] = address.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const file = (name: string) => parameters.get(name) || null;
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')];
  if (ca === null && cert === null && key === null) return { connectionString: address };
  for (const name of [...parameters.keys()]) if (name.startsWith('ssl')) parameters.delete(name);
  return {
    connectionString: `${plain}?${parameters}`,
    ssl: {
      rejectUnauthorized: true,
      ...(ca !== null && { ca: readPem(ca) }),
      ...(cert !== null && { cert: readPem(cert) }),
      ...(key !== null && { key: readKey(key) }),
    },
  };
}

/** Others may not read the key, as with `psql`: who reads it can connect as this gateway. */
function readKey(path: string): string {
  return readPem(path, ({ mode, uid }) => {
    // A key of root's may be lent to a group.
    const forbidden = uid === 0 ? 0o037 : 0o077;
    if (process.platform !== 'win32' && (mode & forbidden) !== 0)
      throw new StoreError(
        'STORE_REFUSED',
        `The key ${path} may be read by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`,
      );
  });
}

/** Bytes of a file of certificates: a whole list of authorities has a quarter of it. */
const MAX_PEM = 1_048_576;

const readPem = (path: string, check?: (found: Stats) => void) =>
  Buffer.from(readRegularSync(path, MAX_PEM, check)).toString('utf8');
