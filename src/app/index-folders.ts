/** Where indexes are: one for each set of sources and model, and one for what all projects of a user share. */

import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type BaseDirectories, hostRoots } from '../sources/scan/roots.ts';
import type { Config } from './config/schema.ts';
import type { SourceSettings, UnlinkedSettings } from './source-settings.ts';

/** Sources that several projects have, and the folder of their index, which the projects' indexes continue. */
export interface SharedSettings {
  readonly sources: readonly string[];
  /** Absolute. */
  readonly indexFolder: string;
}

/**
 * One index per set of sources and model, so that projects do not overwrite each other's index. With the default
 * folders, all folders of all hosts count: which of them are listed depends on links, and links come and go.
 */
export function indexName(
  sources: readonly UnlinkedSettings[],
  embedder: string | undefined,
  bases: BaseDirectories,
): string {
  const origins = sources.map(({ config, fetchFolder }) =>
    config.kind === 'local' ? config.root : fetchFolder,
  );
  const hosts = sources.some(({ optional }) => optional) ? hostRoots(bases) : [];
  return hashIdentity([[...new Set([...hosts, ...origins])], embedder ?? null]);
}

interface SharingOptions {
  readonly config: Config;
  readonly embedder: string | undefined;
  readonly cacheFolder: string;
}

/**
 * One index of the shared sources per user's file, or else home, and per model and way of reading. Plugins do not count: where one
 * comes or goes, the others stay indexed.
 */
export function sharedIndexFolder(
  sources: readonly SourceSettings[],
  { config, embedder, cacheFolder }: SharingOptions,
  of: string,
): SharedSettings | null {
  const shared = sources.filter(({ ofUser }) => ofUser === true);
  if (shared.length === 0 || shared.length === sources.length) return null;
  const homes = shared.flatMap((source) =>
    source.optional && source.config.kind === 'local'
      ? [[source.name, source.config.root, source.links]]
      : [],
  );
  const name = hashIdentity(['shared', of, homes, embedder ?? null, servesOthers(config)]);
  return { sources: shared.map((source) => source.name), indexFolder: join(cacheFolder, name) };
}

/** Whether someone else than the local user is served: who may write a source could show them what links lead to. */
export const servesOthers = ({ auth, policy, store }: Config) =>
  store?.shares.includes('tokens') ||
  auth.tokens !== undefined ||
  auth.oauth !== undefined ||
  policy.default !== undefined ||
  policy.disabled.length > 0 ||
  policy.rules.length > 0;

const hashIdentity = (identity: readonly unknown[]) => hash('sha256', JSON.stringify(identity)).slice(0, 16);
