/**
 * The database of the store: a pool of connections over `pg` (tests also use PGlite), and one more connection that listens for changes. The driver reconnects by itself: a query fails
 * while the server is away, and the next one may succeed.
 */

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import pg, { type ClientConfig, type PoolClient } from 'pg';
import { messageOf, systemCodeOf } from '../../../src/base/errors.ts';
import { backoffMs, withTimeout } from '../../../src/base/timing.ts';
import { full, StoreError } from '../index-store.ts';
import { copied } from './copied.ts';

export interface Querying {
  /** Rows as objects. Numbers beyond 32 bits must be cast to `float8` in the query. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Database extends Querying {
  /**
   * The rows of a query for one column of type `bytea`. It takes no parameters. `into`: memory for the rows, in their order, so that a
   * caller of many queries needs no new memory for each; a row without enough of it gets its own.
   */
  bytes(query: string, into?: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  /** Commits what `use` did, or undoes it where `use` rejects. */
  transaction<Result>(use: (database: Querying) => Promise<Result>): Promise<Result>;
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
  /** Most connections, the one that listens not counted. */
  readonly connections: number;
  /** Longest time for a connection, and for a query's answer, ms. */
  readonly timeoutMs: number;
}

/** Delays before the listening connection is opened again, ms: the first, doubled up to the longest. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

/** An idle connection is probed after this time, ms: the system's own choice is two hours, and a dead one would cost the next query its time limit. */
const KEEP_ALIVE_MS = 2_000;

/**
 * A gateway that stands still in a transaction (stopped, suspended, out of memory) would keep its locks, and with them the lease. The
 * server ends its connection after this time, ms.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

/** Longest wait for active queries at the end, ms. */
const CLOSE_MS = 5_000;

/** Opens no connection before the first query. */
export function connect(options: ConnectOptions): Database {
  const settings = clientSettings(options);
  const pool = new pg.Pool({ ...settings, max: options.connections, idleTimeoutMillis: 30_000 });
  // An idle connection that breaks is replaced by the pool.
  pool.on('error', () => {});
  const stops = new Set<() => void>();
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
    query: (text, values) => run(pool, text, values),
    bytes: (query, into) => onConnection(pool, (client) => copied(client, query, into)),
    transaction: (use) =>
      onConnection(pool, async (client) => {
        const querying: Querying = { query: (text, values) => run(client, text, values) };
        await querying.query(BEGIN);
        const result = await use(querying);
        await querying.query('commit');
        return result;
      }),
    listen(channel, onNotice) {
      const stop = listening(settings, channel, onNotice);
      stops.add(stop);
      return () => {
        stop();
        stops.delete(stop);
      };
    },
    async close() {
      for (const stop of stops) stop();
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
  use: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  let isBroken = false;
  // Without a listener, a connection that breaks would end the process.
  const onError = () => {
    isBroken = true;
  };
  try {
    client = await pool.connect();
    client.on('error', onError);
    return await use(client);
  } catch (error) {
    isBroken = true;
    throw storeErrorOf(error);
  } finally {
    client?.release(isBroken);
    client?.off('error', onError);
  }
}

/** Listens until it is stopped, with a new connection whenever one breaks. */
function listening(settings: ClientConfig, channel: string, onNotice: () => void): () => void {
  let stopped = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  const open = async () => {
    const own = new pg.Client(settings);
    client = own;
    const again = () => {
      if (stopped || client !== own) return;
      client = null;
      own.end().catch(() => {});
      failures += 1;
      timer = setTimeout(open, backoffMs(failures, FIRST_RETRY_MS, LONGEST_RETRY_MS)).unref();
    };
    own.on('error', again).on('end', again).on('notification', onNotice);
    try {
      await own.connect();
      await own.query(`listen "${channel}"`);
      failures = 0;
      // Whatever was announced before is not announced again.
      onNotice();
    } catch {
      again();
    }
  };
  void open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    const own = client;
    client = null;
    own?.end().catch(() => {});
  };
}

function clientSettings({ url, timeoutMs }: ConnectOptions): ClientConfig {
  return {
    ...withTls(url),
    application_name: 'skillgate',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
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
      ...(ca !== null && { ca: readFileSync(ca, 'utf8') }),
      ...(cert !== null && { cert: readFileSync(cert, 'utf8') }),
      ...(key !== null && { key: readKey(key) }),
    },
  };
}

/** Others may not read the key, as with `psql`: who reads it can connect as this gateway. */
function readKey(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { mode, uid } = fstatSync(file);
    // A key of root's may be lent to a group.
    const forbidden = uid === 0 ? 0o037 : 0o077;
    if (process.platform !== 'win32' && (mode & forbidden) !== 0)
      throw new StoreError(
        'STORE_REFUSED',
        `The key ${path} may be read by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`,
      );
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** PostgreSQL's classes of codes: the role may not do it; a table or schema is missing. */
const REFUSED = ['42501', '28000', '28P01', '25006'];
const MISSING = ['42P01', '3F000'];
const FULL = '53100';
/** Codes of Node for a certificate that cannot be verified. */
const UNTRUSTED = /^(ERR_TLS_CERT|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|CERT_)/;
/** The server is shutting down, starting, or has no connection or memory left. */
const AWAY = /^(57P|53|08)/;

/** Errors of the driver and the server as `StoreError`; others as they are. */
function storeErrorOf(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const code = systemCodeOf(error) ?? '';
  const cause = { cause: error };
  if (REFUSED.includes(code))
    return new StoreError('STORE_REFUSED', `The database refuses: ${messageOf(error)}.`, cause);
  if (MISSING.includes(code))
    return new StoreError(
      'STORE_MISSING',
      `The database lacks tables of skillgate: ${messageOf(error)}. Run skillgate store init.`,
      cause,
    );
  if (UNTRUSTED.test(code))
    return new StoreError(
      'STORE_REFUSED',
      `The certificate of the database is not trusted: ${messageOf(error)}. sslrootcert of store.url names the authority, and the host must be the one that it is for.`,
      cause,
    );
  if (code === FULL && error instanceof Error) return full('the database', error);
  // What has no code of five characters comes from the network or the driver: broken, refused, timed out.
  const isOfServer = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  if (AWAY.test(code) || (error instanceof Error && !isOfServer && !(error instanceof TypeError)))
    return new StoreError(
      'STORE_UNREACHABLE',
      `The database does not answer: ${messageOf(error) || code}.`,
      cause,
    );
  return error;
}
