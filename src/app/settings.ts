/**
 * The settings of a command: flags override the environment, which overrides the file, which overrides the defaults.
 */

import { join, resolve } from 'node:path';
import * as z from 'zod';
import { defaultRoots, type NamedRoot } from '../sources/scan/roots.ts';
import { AppError } from './app-error.ts';
import { fromHome } from './config/files.ts';
import type { Config } from './config/schema.ts';
import { type CommonOptions, configuredBy, type ProcessEnvironment } from './configured.ts';
import {
  cacheFolderOf,
  indexName,
  indexOf,
  type SharedSettings,
  servesOthers,
  sharedOf,
} from './index-folders.ts';
import { localSettings, type SourceSettings, sourcesOf } from './source-settings.ts';

const VECTOR_MODES = ['auto', 'exact', 'hnsw'] as const;

/** What the command adds to its options. */
export interface Serving {
  /** True for `serve --http`. Default false. */
  readonly overHttp?: boolean;
}

export interface Settings {
  /** In the given order: of identical skills, that of the first source is shown. */
  readonly sources: readonly SourceSettings[];
  /** The local sources. */
  readonly roots: readonly NamedRoot[];
  /** Absolute. */
  readonly indexFolder: string;
  /** What the index is for: projects, else named folders, else the configuration file. Absolute. */
  readonly indexOf: readonly string[];
  /** Null where nothing is shared with other projects: only folders were named, or the index was, or nothing is of a project. */
  readonly shared: SharedSettings | null;
  /** Absolute: holds downloaded models and their embeddings, shared by all indexes. */
  readonly cacheFolder: string;
  readonly embedder: string | undefined;
  readonly vectors: (typeof VECTOR_MODES)[number];
  /** The whole configuration, with absolute paths. */
  readonly config: Config;
  /** Names of all sources of the file, also those that flags replace. */
  readonly configured: readonly string[];
  /** Absolute; null without a file. */
  readonly configFile: string | null;
  /** Next to the configuration file; null without one. */
  readonly lockFile: string | null;
  /** Fetched sources stay at the versions of the lockfile. */
  readonly frozen: boolean;
  /** What of the configuration is not used, and why: one sentence each. */
  readonly notices: readonly string[];
}

/** Rejects with `AppError` for an unusable setting. An empty setting counts as not given. */
export async function settingsOf(
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
  const cacheFolder = cacheFolderOf(environment);
  const fallback = overHttp || servesOthers(config) ? 'none' : 'follow';
  const sources = sourcesOf(options, configured, environment, cacheFolder).map(
    (source): SourceSettings => ({
      ...source,
      links: source.config.kind === 'local' ? (source.config.links ?? fallback) : 'none',
    }),
  );
  const roots = sources.flatMap(({ name, config: source, optional, links, within }) =>
    source.kind === 'local' ? { name, root: source.root, optional, links, within } : [],
  );
  const ofUser = configured.origins.find((origin) => origin !== configured.project?.file);
  const index = options.index ? fromHome(options.index, home) : config.index.folder || undefined;
  return {
    sources,
    roots,
    indexFolder:
      index === undefined
        ? join(cacheFolder, indexName(sources, embedder, environment))
        : resolve(cwd, index),
    indexOf: indexOf(sources, home, file),
    shared: index === undefined ? sharedOf(sources, { config, embedder, cacheFolder }, ofUser ?? home) : null,
    cacheFolder,
    embedder,
    vectors: vectors.data,
    config,
    configured: configured.named.map(({ name }) => name),
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
  const roots = defaultRoots(bases).map(({ optional = false, ...root }) => ({ ...root, optional, links }));
  const sources = roots.map((root) => ({ ...localSettings(root), links }));
  const { cacheFolder, embedder, indexFolder } = settings;
  const name = indexName(sources, embedder, bases);
  const isNamed = indexFolder !== join(cacheFolder, indexName(settings.sources, embedder, environment));
  return {
    ...settings,
    roots,
    sources,
    // Each set of folders has an index of its own, also next to one that was named.
    indexFolder: isNamed ? `${indexFolder}-${name}` : join(cacheFolder, name),
    indexOf: indexOf(sources, environment.home, null),
    shared: isNamed ? null : sharedOf(sources, settings, environment.home),
  };
}
