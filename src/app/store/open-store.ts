/** Opens the configured store. */

import { hostname } from 'node:os';
import { type Embedder, SEGMENT_FORMAT } from '#index';
import {
  type ConnectOptions,
  connect,
  type Database,
  FolderStore,
  type IndexStore,
  PostgresStore,
  SearchReader,
  SearchWriter,
} from '../../store/public.ts';
import { AppError } from '../app-error.ts';
import { expanded } from '../config/expand.ts';
import type { Config } from '../config/schema.ts';
import { milliseconds } from '../config/units.ts';
import type { ProcessEnvironment, Settings } from '../settings.ts';

export type StoreConfig = NonNullable<Config['store']>;

export interface OpenStore {
  readonly store: IndexStore;
  /** Null for a shared folder. */
  readonly database: Database | null;
  /** Null where gateways search copies of the index. */
  readonly search: { readonly rows: SearchReader; readonly writer: SearchWriter } | null;
  readonly config: StoreConfig;
}

/** Opens no connection yet. Throws `SETTING_INVALID` where a variable is not set. */
export function openStore(config: StoreConfig, environment: Pick<ProcessEnvironment, 'env'>): OpenStore {
  if (config.kind === 'folder')
    return { store: new FolderStore(config.path ?? ''), database: null, search: null, config };
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

/** How to connect, with the secrets of the environment. Throws `SETTING_INVALID` where a variable is not set. */
export function connectionOf(config: StoreConfig, { env }: Pick<ProcessEnvironment, 'env'>): ConnectOptions {
  const { text: url, missing } = expanded(config.url ?? '', env);
  if (missing.length > 0)
    throw new AppError(
      'SETTING_INVALID',
      `store.url needs ${missing.join(' and ')}: set the environment variable.`,
    );
  const { tls, connections } = config;
  return { url, tls, connections, timeoutMs: milliseconds(config.timeout) };
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
