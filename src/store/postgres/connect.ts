/**
 * A pool of connections over `pg`, and one more connection that listens for changes. The driver reconnects by itself: a query fails
 * while the server is away, and the next one may succeed.
 */

import { readFileSync } from 'node:fs';
import pg, { type ClientConfig, type PoolClient } from 'pg';
import { messageOf, systemCodeOf } from '../../errors/public.ts';
import { backoffMs, withTimeout } from '../../timing/public.ts';
import { StoreError } from '../store-error.ts';
import { copied } from './copied.ts';
import type { Database, Querying } from './database.ts';

/** Absolute paths of PEM files. */
interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ConnectOptions {
  /** `postgres://…`; may hold a password. */
  readonly url: string;
  readonly tls?: TlsFiles | undefined;
  /** Most connections, the one that listens not counted. */
  readonly connections: number;
  /** Longest time for a connection, and for a query's answer, ms. */
  readonly timeoutMs: number;
}

/** Delays before the listening connection is opened again, ms: the first, doubled up to the longest. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

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
    async bytes(query) {
      const client = await connected(pool);
      try {
        const rows = await copied(client, query);
        client.release();
        return rows;
      } catch (error) {
        // An answer may be on its way still.
        client.release(true);
        throw storeErrorOf(error);
      }
    },
    async transaction<Result>(use: (database: Querying) => Promise<Result>): Promise<Result> {
      const client = await connected(pool);
      let broken: Error | undefined;
      // Without a listener, a connection that breaks between two queries would end the process.
      const onError = (error: Error) => {
        broken = error;
      };
      client.on('error', onError);
      const querying: Querying = { query: (text, values) => run(client, text, values) };
      try {
        await querying.query('begin');
        const result = await use(querying);
        await querying.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
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

async function connected(pool: pg.Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw storeErrorOf(error);
  }
}

/** Listens until it is stopped, with a new connection whenever one breaks. */
function listening(settings: ClientConfig, channel: string, onNotice: () => void): () => void {
  let stopped = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  const open = async () => {
    // Without a time limit for queries: it has none after `listen`, and waits.
    const { query_timeout: _, ...patient } = settings;
    const own = new pg.Client({ ...patient, keepAliveInitialDelayMillis: 2_000 });
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

function clientSettings({ url, tls, timeoutMs }: ConnectOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: 'skillgate',
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...(tls === undefined ? {} : { ssl: tlsOf(tls) }),
  };
}

/** The server's certificate is always checked, against the system's authorities or the given one. */
function tlsOf({ ca, cert, key }: TlsFiles): ClientConfig['ssl'] {
  const read = (path: string) => readFileSync(path, 'utf8');
  return {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: read(ca) }),
    ...(cert === undefined ? {} : { cert: read(cert) }),
    ...(key === undefined ? {} : { key: read(key) }),
  };
}

/** PostgreSQL's classes of codes: the role may not do it; a table or schema is missing. */
const REFUSED = ['42501', '28000', '28P01', '25006'];
const MISSING = ['42P01', '3F000'];
/** The server is shutting down, starting, or has no connection left; the disk is full. */
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
