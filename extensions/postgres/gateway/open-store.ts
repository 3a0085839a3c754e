/** Opens the configured store. */

import { hostname } from 'node:os';
import { SEGMENT_FORMAT } from '../../../index/segment/format.ts';
import { AppError } from '../../../src/app/app-error.ts';
import { expanded } from '../../../src/app/config/expand.ts';
import type { ProcessEnvironment } from '../../../src/app/configured.ts';
import type { Config, Embedder, Settings } from '../../../src/app/extension-api.ts';
import { type ConnectOptions, connect, type Database } from '../database/connect.ts';
import { PostgresStore } from '../database/postgres-store.ts';

export type StoreConfig = NonNullable<Config['store']>;

export interface OpenStore {
  readonly store: PostgresStore;
  readonly database: Database;
  readonly config: StoreConfig;
}

/** Opens no connection yet. Throws `SETTING_INVALID` where a variable is not set. */
export function openStore(config: StoreConfig, environment: Pick<ProcessEnvironment, 'env'>): OpenStore {
  const database = openDatabase(config, environment);
  return { store: new PostgresStore(database, config.schema), database, config };
}

/** Databases of this process by address, so that a gateway's catalog, tokens and policy use the same connections. */
const open = new Map<string, { readonly database: Database; users: number }>();

/** Ends once each of its users has closed it. Throws `SETTING_INVALID` where a variable is not set. */
export function openDatabase(config: StoreConfig, environment: Pick<ProcessEnvironment, 'env'>): Database {
  const options = connectionOf(config, environment);
  const shared = open.get(options.url) ?? { database: connect(options), users: 0 };
  open.set(options.url, shared);
  shared.users += 1;
  return {
    ...shared.database,
    async close() {
      shared.users -= 1;
      if (shared.users > 0) return;
      open.delete(options.url);
      await shared.database.close();
    },
  };
}

/** Longest wait for a connection, and longest silence on one, ms: a silent network counts as cut within 5 s. */
const TIMEOUT_MS = 4_000;

/** How to connect, with the secrets of the environment. Throws `SETTING_INVALID` where a variable is not set. */
function connectionOf(config: StoreConfig, { env }: Pick<ProcessEnvironment, 'env'>): ConnectOptions {
  const { text: url, missing } = expanded(config.url, env);
  if (missing.length > 0)
    throw new AppError(
      'SETTING_INVALID',
      `store.url needs ${missing.join(' and ')}: set the environment variable.`,
    );
  return { url, timeoutMs: TIMEOUT_MS };
}

/** Where a gateway keeps its copy of the index; null for memory. */
export function copyFolderOf({
  config,
  indexFolder,
}: Pick<Settings, 'config' | 'indexFolder'>): string | null {
  const { cache } = config.store ?? {};
  return cache === 'memory' ? null : (cache ?? `${indexFolder}-shared`);
}

/** The line of this program with this model. */
export const lineOf = ({ id }: Pick<Embedder, 'id'>) => `${SEGMENT_FORMAT} ${id}`;

/** Names this process in the store; unique. */
export const holderOf = (random: string) => `${hostname()}:${process.pid}:${random}`;
