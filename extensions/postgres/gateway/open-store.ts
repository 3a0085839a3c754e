/** Opens the configured store. */

import { hostname } from 'node:os';
import type { Embedder } from '../../../index/embedder.ts';
import { SEGMENT_FORMAT } from '../../../index/segment/format.ts';
import { AppError } from '../../../src/app/app-error.ts';
import { expanded } from '../../../src/app/config/expand.ts';
import type { Config } from '../../../src/app/config/schema.ts';
import type { ProcessEnvironment } from '../../../src/app/configured.ts';
import type { Settings } from '../../../src/app/settings.ts';
import { type ConnectOptions, connect, type Database } from '../database/connect.ts';
import { PostgresStore } from '../database/postgres-store.ts';
import { SearchReader } from '../database/search-reader.ts';
import { SearchWriter } from '../database/search-writer.ts';

export type StoreConfig = NonNullable<Config['store']>;

export interface OpenStore {
  readonly store: PostgresStore;
  readonly database: Database;
  /** Null where gateways search copies of the index. */
  readonly search: { readonly rows: SearchReader; readonly writer: SearchWriter } | null;
  readonly config: StoreConfig;
}

/** Opens no connection yet. Throws `SETTING_INVALID` where a variable is not set. */
export function openStore(config: StoreConfig, environment: Pick<ProcessEnvironment, 'env'>): OpenStore {
  const database = connect(connectionOf(config, environment));
  const search =
    config.search === 'copy'
      ? null
      : {
          rows: new SearchReader(database, config.schema),
          writer: new SearchWriter(database, config.schema),
        };
  return { store: new PostgresStore(database, config.schema), database, search, config };
}

/** Of one gateway. */
const CONNECTIONS = 4;
/** Longest wait for the database, ms. */
const TIMEOUT_MS = 10_000;

/** How to connect, with the secrets of the environment. Throws `SETTING_INVALID` where a variable is not set. */
export function connectionOf(config: StoreConfig, { env }: Pick<ProcessEnvironment, 'env'>): ConnectOptions {
  const { text: url, missing } = expanded(config.url, env);
  if (missing.length > 0)
    throw new AppError(
      'SETTING_INVALID',
      `store.url needs ${missing.join(' and ')}: set the environment variable.`,
    );
  return { url, connections: CONNECTIONS, timeoutMs: TIMEOUT_MS };
}

/** Where a gateway keeps its copy of the index, or its outline; null for memory. */
export function copyFolderOf({
  config,
  indexFolder,
}: Pick<Settings, 'config' | 'indexFolder'>): string | null {
  const { cache, search } = config.store ?? {};
  return cache === 'memory'
    ? null
    : (cache ?? `${indexFolder}-${search === 'database' ? 'outline' : 'shared'}`);
}

/** The line of this program with this model. */
export const lineOf = ({ id }: Pick<Embedder, 'id'>) => `${SEGMENT_FORMAT} ${id}`;

/** Names this process in the store; unique. */
export const holderOf = (random: string) => `${hostname()}:${process.pid}:${random}`;
