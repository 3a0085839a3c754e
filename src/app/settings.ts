/**
 * The settings of a command: flags override the environment, which overrides the file, which overrides the defaults.
 */

import { join, resolve } from 'node:path';
import * as z from 'zod';
import { defaultRoots } from '../sources/scan/roots.ts';
import { AppError } from './app-error.ts';
import { userCacheFolder } from './cache.ts';
import { fromHome } from './config/files.ts';
import { userConfigFolder } from './config/find.ts';
import { configuredBy, type ProcessEnvironment } from './configured.ts';
import type { CommonOptions, Settings } from './extension-api.ts';
import { indexName, servesOthers, sharedIndexFolder } from './index-folders.ts';
import { localSettings, readSources, requestsFile, type SourceSettings } from './source-settings.ts';

export type { CommonOptions, Settings } from './extension-api.ts';

const VECTOR_MODES = ['auto', 'exact', 'hnsw'] as const;

/** What the command adds to its options. */
export interface Serving {
  /** True for `serve --http`. Default false. */
  readonly overHttp?: boolean;
}

/** Rejects with `AppError` for an unusable setting. An empty setting counts as not given. */
export async function readSettings(
  options: CommonOptions,
  environment: ProcessEnvironment,
  { overHttp = false }: Serving = {},
): Promise<Settings> {
  const { cwd, home, env } = environment;
  const configured = await configuredBy(options, environment);
  const { config, file } = configured;
  const embedder = options.embedder || config.index.embedder || undefined;
  const asked = options.vectors || env.SKILLGATE_VECTORS || 'auto';
  const vectors = z.enum(VECTOR_MODES).safeParse(asked);
  if (!vectors.success)
    throw new AppError('SETTING_INVALID', `--vectors takes ${VECTOR_MODES.join(', ')}, not "${asked}".`);
  const cacheFolder = userCacheFolder(environment);
  const fallback = overHttp || servesOthers(config) ? 'none' : 'follow';
  const sources = readSources(options, configured, environment, cacheFolder).map(
    (source): SourceSettings => ({
      ...source,
      requests: source.requests ?? requestsFile(source.within ?? userConfigFolder(environment)),
      links: source.config.kind === 'local' ? (source.config.links ?? fallback) : 'none',
    }),
  );
  const roots = sources.flatMap(({ name, config: source, optional, links, within, requests }) =>
    source.kind === 'local' ? { name, root: source.root, optional, links, within, requests } : [],
  );
  const ofUser = configured.sources.find((source) => source.file !== configured.project?.file)?.file;
  const index = options.index ? fromHome(options.index, home) : config.index.folder || undefined;
  return {
    sources,
    roots,
    indexFolder:
      index === undefined
        ? join(cacheFolder, indexName(sources, embedder, environment))
        : resolve(cwd, index),
    shared:
      index === undefined
        ? sharedIndexFolder(sources, { config, embedder, cacheFolder }, ofUser ?? home)
        : null,
    cacheFolder,
    embedder,
    vectors: vectors.data,
    config,
    extensions: options.extensions ?? [],
    configured: configured.sources.map(({ name }) => name),
    configFile: file,
    lockFile: configured.lockFile,
    notices: configured.notices,
    frozen: options.frozen ?? /^(1|true)$/i.test(env.SKILLGATE_FROZEN ?? ''),
  };
}

/**
 * The settings with the default folders of these projects instead of those of the working directory; null where the folders
 * were named or configured, or no project is given.
 */
export function settingsOfProjects(
  settings: Settings,
  projects: readonly string[],
  environment: ProcessEnvironment,
): Settings | null {
  const [cwd, ...others] = projects;
  const links = settings.sources.find(({ optional }) => optional)?.links;
  if (cwd === undefined || links === undefined) return null;
  const bases = { home: environment.home, cwd, others, env: environment.env };
  const roots = defaultRoots(bases).map(({ optional = false, ...root }) => ({
    ...root,
    optional,
    links,
    requests: requestsFile(root.within ?? userConfigFolder(environment)),
  }));
  const sources = roots.map((root) => ({ ...localSettings(root), requests: root.requests, links }));
  const { cacheFolder, embedder, indexFolder } = settings;
  const name = indexName(sources, embedder, bases);
  const isNamed = indexFolder !== join(cacheFolder, indexName(settings.sources, embedder, environment));
  return {
    ...settings,
    roots,
    sources,
    // Each set of folders has an index of its own, also next to one that was named.
    indexFolder: isNamed ? `${indexFolder}-${name}` : join(cacheFolder, name),
    shared: isNamed ? null : sharedIndexFolder(sources, settings, environment.home),
  };
}
