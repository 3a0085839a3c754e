/**
 * The settings of a command: flags override the environment, which overrides the file, which overrides the defaults.
 * The only file that reads the environment.
 */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { isNothing, leadsOutOf } from '../sources/scan/real-path.ts';
import {
  type BaseDirectories,
  defaultRoots,
  hostRoots,
  type NamedRoot,
  nameRoots,
  projectWith,
} from '../sources/scan/roots.ts';
import type { Links } from '../sources/scan/walk.ts';
import { AppError } from './app-error.ts';
import type { ConfigReading } from './config/check.ts';
import { DEFAULTS } from './config/defaults.ts';
import { ConfigError, type ConfigProblem } from './config/errors.ts';
import { expandSource } from './config/expand.ts';
import { fromHome } from './config/files.ts';
import { configFolderOf, namedFile, projectFile, trustsProjects, userFile } from './config/find.ts';
import type { Override } from './config/overrides.ts';
import type { Config, SourceConfig } from './config/schema.ts';
import { type NamedSource, nameSources } from './config/source-names.ts';
import { VARIABLES } from './config/variables.ts';
import type { ProjectTrust } from './trust/project.ts';

const VECTOR_MODES = ['auto', 'exact', 'hnsw'] as const;

/** Options of every command, as commander parses them. */
export interface CommonOptions {
  readonly skills?: readonly string[];
  readonly index?: string;
  readonly embedder?: string;
  readonly vectors?: string;
  readonly json?: boolean;
  readonly config?: string;
  /** Single settings, each as `path=value`. */
  readonly set?: readonly string[];
  readonly frozen?: boolean;
}

/** A source, ready to open: named, with absolute paths and expanded secrets. Never print it. */
export interface SourceSettings {
  /** Unique. */
  readonly name: string;
  readonly config: SourceConfig;
  /** For git over HTTPS. */
  readonly token: string | undefined;
  /** Absolute: the folder that a fetched source owns. Local sources do not use it. */
  readonly fetchFolder: string;
  /** True where a missing folder is no problem. */
  readonly optional: boolean;
  /** Which symbolic links a local source follows. */
  readonly links: Links;
  /** Absolute: the project, where neither a local source in it nor a link there may lead out of it. */
  readonly within?: string | undefined;
  /** True for a source that every project of the user has. */
  readonly ofUser?: boolean;
}

/** Sources that several projects have, and the folder of their index, which the projects' indexes continue. */
interface SharedSettings {
  readonly sources: readonly string[];
  /** Absolute. */
  readonly indexFolder: string;
  /** The file of the user that names them, else home. Absolute. */
  readonly indexOf: string;
}

type UnlinkedSettings = Omit<SourceSettings, 'links'>;

/** What the command adds to its options. */
export interface Serving {
  /** True for `serve --http`. Default false. */
  readonly overHttp?: boolean;
}

/** False while the folder of an optional source does not exist. */
export const isThere = ({ optional, config }: SourceSettings) =>
  !optional || config.kind !== 'local' || !isNothing(config.root);

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

/** What a process knows of where it runs. */
export interface ProcessEnvironment {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const processEnvironment = (): ProcessEnvironment => ({
  cwd: process.cwd(),
  home: homedir(),
  env: process.env,
});

/** The configuration before sources are selected and secrets expanded. */
export interface Configured extends ConfigReading {
  /** Paths are absolute. */
  readonly config: Config;
  /** The named file, else that of the project, else that of the user. */
  readonly file: string | null;
  /** Where the versions of sources are kept: next to a file that may have fetched sources. */
  readonly lockFile: string | null;
  /** The sources, in the order of the files. */
  readonly named: readonly NamedSource[];
  /** The file of each source. */
  readonly origins: readonly string[];
  /** Absent where no project's file is used. */
  readonly project?: ProjectTrust;
  readonly notices: readonly string[];
}

/** Rejects with `ConfigError` and `CONFIG_UNREADABLE`. */
export async function configuredBy(
  options: CommonOptions,
  environment: ProcessEnvironment,
): Promise<Configured> {
  const read = await configurationIn(options, environment);
  return { ...read, named: nameSources(read.config.sources, read.placeOf, environment) };
}

/** Loads schema and parsers only where something is configured, since most servers start without a configuration. */
async function configurationIn(
  options: CommonOptions,
  environment: ProcessEnvironment,
): Promise<Omit<Configured, 'named'>> {
  const { cwd, home, env } = environment;
  const overrides = await overridesOf(options, env, cwd);
  const notices: string[] = [];
  const none = { file: null, lockFile: null, origins: [], notices };
  const wanted = options.config || env.SKILLGATE_CONFIG || undefined;
  const named = wanted === undefined ? null : namedFile(wanted, environment);
  const user = named === null ? userFile(configFolderOf(environment)) : null;
  const found = named === null ? projectFile(environment, (line) => notices.push(line)) : null;
  // In the user's own folder, the nearest file is the user's.
  const own = found !== null && user !== null && isSameFile(found.file, user.file) ? null : found;
  if (named === null && user === null && own === null) {
    if (overrides.length === 0) return { ...NOTHING, ...none };
    const { configWithoutFile } = await import('./config/check.ts');
    return { ...configWithoutFile(overrides), ...none };
  }
  const { configOfLayers, layerOf } = await import('./config/layers.ts');
  const under = user === null ? [] : [layerOf(user)];
  const trusted = named ?? (own === null ? user : null);
  if (trusted !== null) {
    const read = configOfLayers([layerOf(trusted)], overrides, home);
    const file = trusted.file;
    const remedy = `name in the sources of ${file} those that may run them.`;
    const isTrusted =
      named !== null || trustsProjects(env) || !servesProject(read.config, options, environment);
    const config = isTrusted ? read.config : withoutScripts(read.config, notices, remedy);
    return { ...read, config, file, lockFile: lockFileOf(file), notices };
  }
  const { examineProject, leftOutLine } = await import('./trust/project.ts');
  const { layer, ...project } = examineProject(own ?? { file: '', text: '' }, environment);
  const read = configOfLayers([layer, ...under], overrides, home);
  const file = project.file;
  if (project.state === 'trusted') return { ...read, file, lockFile: lockFileOf(file), project, notices };
  if (project.parts.length > 0) notices.push(leftOutLine(project));
  const lockFile = user === null ? null : lockFileOf(user.file);
  const serves = read.origins.includes(file) || servesProject(read.config, options, environment);
  const remedy = 'trust this project with skillgate trust.';
  const config = serves ? withoutScripts(read.config, notices, remedy) : read.config;
  return { ...read, config, file, lockFile, project, notices };
}

/** Whether the default folders are served, and some of them are those of a project. */
const servesProject = (config: Config, options: CommonOptions, environment: ProcessEnvironment) =>
  config.sources.length === 0 &&
  namedFolders(options, environment) === undefined &&
  projectWith(environment.cwd, environment) !== undefined;

/** The user allows scripts by the names of sources, and a project that is not trusted may give its own any name. */
function withoutScripts(config: Config, notices: string[], remedy: string): Config {
  if (!config.scripts.enabled) return config;
  notices.push(`Scripts are off here, because skills of a project are served. To allow them, ${remedy}`);
  return { ...config, scripts: { ...config.scripts, enabled: false } };
}

/** `a` is a real path. */
const isSameFile = (a: string, b: string) => a === realpathSync(b);

const NOTHING: ConfigReading = {
  config: DEFAULTS,
  placeOf: () => ({ where: 'The configuration', line: null, column: null }),
};

async function overridesOf(
  { set = [] }: CommonOptions,
  env: ProcessEnvironment['env'],
  cwd: string,
): Promise<readonly Override[]> {
  if (set.length === 0 && !Object.keys(VARIABLES).some((name) => env[name])) return [];
  const { overridesOfEnvironment, overridesOfFlags } = await import('./config/overrides.ts');
  return [...overridesOfEnvironment(env, cwd), ...overridesOfFlags(set, cwd)];
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

export const lockFileOf = (configFile: string) => join(dirname(configFile), 'skillgate.lock.json');

/** Whether somebody else than the local user is served: who may write a source could show them what links lead to. */
const servesOthers = ({ auth, policy, store }: Config) =>
  store?.shares.includes('tokens') ||
  auth.tokens !== undefined ||
  auth.oauth !== undefined ||
  policy.default !== undefined ||
  policy.disabled.length > 0 ||
  policy.rules.length > 0;

const namedFolders = ({ skills }: CommonOptions, { env }: ProcessEnvironment) =>
  nonEmpty(skills) ?? nonEmpty(env.SKILLGATE_SKILLS?.split(delimiter));

/** The folders of flags or environment, else the sources of the file, else the folders that agents use. */
function sourcesOf(
  options: CommonOptions,
  configured: Configured,
  environment: ProcessEnvironment,
  cacheFolder: string,
): UnlinkedSettings[] {
  const { cwd, home, env } = environment;
  const given = namedFolders(options, environment)?.map((path) => fromHome(path, home));
  if (given !== undefined)
    return nameRoots(given, { home, cwd }).map((named) =>
      localSettings({ ...named, within: keptIn(projectWith(named.root, { home, cwd }), named.root) }),
    );
  if (configured.config.sources.length === 0) return defaultRoots({ home, cwd, env }).map(localSettings);
  return configuredSources(configured, env, cacheFolder);
}

function configuredSources(
  { named, placeOf, origins, project }: Configured,
  env: ProcessEnvironment['env'],
  cacheFolder: string,
): UnlinkedSettings[] {
  const problems: ConfigProblem[] = [];
  const sources = named.flatMap(({ name, source: written }, at) => {
    const { source, token, missing } = expandSource(written, env);
    for (const { path, message } of missing) problems.push({ ...placeOf(['sources', at, ...path]), message });
    const fetchFolder = fetchFolderOf(cacheFolder, origins[at] ?? null, name, written);
    const isOfProject = project !== undefined && origins[at] === project.file;
    const within =
      isOfProject && written.kind === 'local' && written.links === undefined
        ? keptIn(dirname(project.file), written.root)
        : undefined;
    return {
      name,
      config: source,
      token,
      fetchFolder,
      optional: false,
      within,
      ofUser: !isOfProject,
    };
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return sources;
}

/** The project, where the folder is in it; a folder outside was named by somebody who wants it. */
const keptIn = (project: string | undefined, root: string) =>
  project === undefined || leadsOutOf(project, root) ? undefined : project;

/** Each project has its own copy, since two projects may pin one origin to different commits. */
export function fetchFolderOf(
  cacheFolder: string,
  file: string | null,
  name: string,
  source: SourceConfig,
): string {
  const identity = createHash('sha256').update(JSON.stringify([file, name, originOf(source)]));
  return join(cacheFolder, 'sources', `${name}-${identity.digest('hex').slice(0, 16)}`);
}

const localSettings = ({ name, root, optional = false, within, ofUser }: NamedRoot): UnlinkedSettings => ({
  name,
  within,
  ofUser,
  optional,
  config: { kind: 'local', root },
  token: undefined,
  fetchFolder: '',
});

/** What a source fetches: another one starts from nothing. Secrets as they are written, not as they are. */
function originOf(source: SourceConfig): unknown {
  switch (source.kind) {
    case 'local':
      return source.root;
    case 'git':
      return ['git', source.url, source.ref ?? null, source.folder ?? null];
    case 'archive':
      return ['archive', source.path, source.folder ?? null];
    case 'well-known':
      return ['well-known', source.url];
    case 'mcp':
      return ['mcp', source.url ?? [source.command, ...source.args]];
  }
}

/** The XDG specification ignores relative and empty paths. */
export const cacheFolderOf = ({ home, env: { XDG_CACHE_HOME: folder = '' } }: ProcessEnvironment) =>
  join(isAbsolute(folder) ? folder : join(home, '.cache'), 'skillgate');

/**
 * One index per set of sources and model, so that projects do not overwrite each other's index. With the default
 * folders, all folders of all hosts count: which of them are listed depends on links, and links come and go.
 */
function indexName(
  sources: readonly UnlinkedSettings[],
  embedder: string | undefined,
  bases: BaseDirectories,
): string {
  const origins = sources.map(({ config, fetchFolder }) =>
    config.kind === 'local' ? config.root : fetchFolder,
  );
  const hosts = sources.some(({ optional }) => optional) ? hostRoots(bases) : [];
  const identity = JSON.stringify([[...new Set([...hosts, ...origins])], embedder ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}

function indexOf(sources: readonly SourceSettings[], home: string, file: string | null): string[] {
  const projects = sources.flatMap(({ optional, within }) => (optional ? (within ?? []) : []));
  if (projects.length > 0) return [...new Set(projects)];
  if (sources.some(({ optional }) => optional)) return [home];
  const roots = sources.flatMap(({ config }) => (config.kind === 'local' ? config.root : []));
  return file === null || roots.length === sources.length ? roots : [file];
}

/**
 * One index of the shared sources per user's file, or else home, and per model and way of reading. Plugins do not count: where one
 * comes or goes, the others stay indexed.
 */
function sharedOf(
  sources: readonly SourceSettings[],
  { config, embedder, cacheFolder }: Pick<Settings, 'config' | 'embedder' | 'cacheFolder'>,
  of: string,
): SharedSettings | null {
  const shared = sources.filter(({ ofUser }) => ofUser === true);
  if (shared.length === 0 || shared.length === sources.length) return null;
  const homes = shared.flatMap((source) =>
    source.optional && source.config.kind === 'local'
      ? [[source.name, source.config.root, source.links]]
      : [],
  );
  const identity = JSON.stringify(['shared', of, homes, embedder ?? null, servesOthers(config)]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return { sources: shared.map((source) => source.name), indexFolder: join(cacheFolder, name), indexOf: of };
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  const given = list?.filter((part) => part !== '') ?? [];
  return given.length > 0 ? given : undefined;
}
