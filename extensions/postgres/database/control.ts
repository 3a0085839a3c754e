/**
 * The connection that listens for changes and takes short statements, one after another. Opened at the first use, and again once it
 * breaks. It is the first one that a gateway opens, and refuses a pooler: notices and locks belong to a session.
 */

import pg, { type ClientConfig } from 'pg';
import { backoffMs } from '../../../src/base/timing.ts';
import { isStoreError, StoreError } from '../index-store.ts';
import { afterArrivals, endAfterSilence } from './silence.ts';
import { CONNECTIONS, storeErrorOf } from './store-error.ts';

/** Delays before it is opened again for its listeners, ms: the first, doubled up to the longest. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

/** A role that may write into `public` could otherwise put operators there that fit our statements better than PostgreSQL's own. */
export const SEARCH_PATH = 'set search_path to pg_catalog';
/**
 * A short statement gives up after this wait for a lock, ms: every gateway's role may lock the counts and the list of gateways, and
 * tokens and the policy are read behind them.
 */
const LOCK_MS = 500;

export interface Querying {
  /** Rows as objects. Numbers beyond 32 bits must be cast to `float8` in the query. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export class Control implements Querying {
  readonly #settings: ClientConfig;
  readonly #timeoutMs: number;
  readonly #listeners = new Map<string, Set<() => void>>();
  #client: pg.Client | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #opening: Promise<pg.Client> | null = null;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  /** A statement without an answer after `timeoutMs` ends the connection. */
  constructor(settings: ClientConfig, timeoutMs: number) {
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const client = await this.#connected();
    let isAnswered = false;
    const timer = setTimeout(() => afterArrivals(() => isAnswered || this.#drop(client)), this.#timeoutMs);
    try {
      return (await this.#inTurn(() => client.query(text, [...values]))).rows as Row[];
    } catch (error) {
      const failure = storeErrorOf(error);
      if (isStoreError(failure, 'STORE_UNREACHABLE')) this.#drop(client);
      throw failure;
    } finally {
      isAnswered = true;
      clearTimeout(timer);
    }
  }

  listen(channel: string, onNotice: () => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(onNotice));
    this.#connected().then(
      (client) =>
        this.#inTurn(() => client.query(`listen "${channel}"`)).then(onNotice, () => this.#drop(client)),
      () => this.#reopen(),
    );
    return () => {
      listeners.delete(onNotice);
      if (listeners.size === 0) this.#listeners.delete(channel);
    };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#client?.end().catch(() => {});
  }

  /** The driver takes one statement at a time. */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #connected(): Promise<pg.Client> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#settings);
    client.on('error', () => this.#drop(client)).on('end', () => this.#drop(client));
    client.on('notification', ({ channel }) => this.#notify(channel));
    let stop = () => {};
    try {
      await client.connect();
      stop = endAfterSilence(client, this.#timeoutMs);
      await client.query(`${SEARCH_PATH}; set lock_timeout to ${LOCK_MS}`);
      await requireNoPooler(client);
      for (const channel of this.#listeners.keys()) await client.query(`listen "${channel}"`);
    } catch (error) {
      end(client);
      throw storeErrorOf(error);
    } finally {
      stop();
    }
    if (this.#isClosed) end(client);
    this.#client = client;
    this.#failures = 0;
    // What was announced before is not announced again.
    for (const channel of this.#listeners.keys()) this.#notify(channel);
    return client;
  }

  #notify(channel: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener();
  }

  #drop(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#opening = null;
    end(client);
    this.#reopen();
  }

  #reopen(): void {
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#failures += 1;
    clearTimeout(this.#retry);
    const open = () => void this.#connected().catch(() => this.#reopen());
    this.#retry = setTimeout(open, backoffMs(this.#failures, FIRST_RETRY_MS, LONGEST_RETRY_MS)).unref();
  }
}

/** What it waits for fails at once: the answer may never come. */
function end(client: pg.Client): void {
  (
    client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
}

/** A pooler answers with a process number of its own. */
async function requireNoPooler(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (rows[0]?.pid === (client as unknown as { readonly processID: number }).processID) return;
  throw new StoreError(
    'STORE_REFUSED',
    `store.url leads to a pooler such as PgBouncer: notices of changes and the lock of a writer need a session of their own. Name the database itself; a gateway takes ${CONNECTIONS} connections.`,
  );
}
