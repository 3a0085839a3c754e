/**
 * Which skills, which index, which model, and all else that is configured: flags before environment before the file
 * before defaults. The only place that reads the environment.
 */

import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { defaultRoots, hostRoots, type NamedRoot, nameRoots } from '../catalog/names.ts';
import { isNothing } from '../catalog/real-path.ts';
import type { ConfigReading } from './config/check.ts';
import { DEFAULTS, maySaySomething } from './config/defaults.ts';
import { ConfigError, type ConfigProblem } from './config/errors.ts';
import { expandSource } from './config/expand.ts';
import { findConfigFile, fromHome, isSmallForm, textOf, withAbsolutePaths } from './config/files.ts';
import type { Override } from './config/overrides.ts';
import type { Config, SourceConfig } from './config/schema.ts';
import { type NamedSource, nameSources } from './config/source-names.ts';
import { CliError, EXIT } from './exit-codes.ts';

const VECTOR_MODES = ['auto', 'exact', 'hnsw'] as const;

/** Options that every command takes, as commander gives them. */
export interface CommonOptions {
  readonly skills?: readonly string[];
  readonly index?: string;
  readonly embedder?: string;
  readonly vectors?: string;
  readonly json?: boolean;
  readonly config?: string;
  /** `path=value` of single settings. */
  readonly set?: readonly string[];
  readonly frozen?: boolean;
}

/** A source as it is to be opened: named, its paths absolute, its secrets in place. Never to be printed. */
export interface SourceSettings {
  /** Unique. */
  readonly name: string;
  readonly priority: number;
  readonly config: SourceConfig;
  /** For git over HTTPS. */
  readonly token: string | undefined;
  /** Absolute: the folder that a fetched source has to itself; unused by local ones. */
  readonly place: string;
  /** Nothing is amiss while there is nothing at its folder. */
  readonly awaited: boolean;
}

/** False while there is nothing at the folder of an awaited source. */
export const isThere = ({ awaited, config }: SourceSettings) =>
  !awaited || config.kind !== 'local' || !isNothing(config.root);

export interface Settings {
  /** Those in force, the highest priority first, else in the order given. */
  readonly sources: readonly SourceSettings[];
  /** The local ones of them. */
  readonly roots: readonly NamedRoot[];
  /** Absolute. */
  readonly indexFolder: string;
  /** Absolute: where other models' downloads and embeddings are kept, whatever the index. */
  readonly cacheFolder: string;
  readonly embedder: string | undefined;
  readonly vectors: (typeof VECTOR_MODES)[number];
  /** Everything else that is configured; paths are absolute. */
  readonly config: Config;
  /** Names of all sources of the configuration, those that are disabled or replaced by flags among them. */
  readonly configured: readonly string[];
  /** Absolute; null where there is no file. */
  readonly configFile: string | null;
  /** Beside the configuration file; null where there is none. */
  readonly lockFile: string | null;
  /** Fetched sources stay at what the lockfile says. */
  readonly frozen: boolean;
}

export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const surroundings = (): Surroundings => ({ cwd: process.cwd(), home: homedir(), env: process.env });

/** What is configured before any source is chosen: no secret is put in yet. */
export interface Configured extends ConfigReading {
  /** Paths are absolute. */
  readonly config: Config;
  readonly file: string | null;
  /** The file's sources, in its order. */
  readonly named: readonly NamedSource[];
  /** Roots of the old small form, which are named like those of flags. */
  readonly roots: readonly string[];
}

/** Rejects with `ConfigError`, or `CliError` with `usage`. */
export async function configuredBy(options: CommonOptions, around: Surroundings): Promise<Configured> {
  const read = await configurationIn(options, around);
  return { ...read, named: nameSources(read.config.sources, read.placeOf, around) };
}

/** Schema and parsers are loaded where something is configured: most servers start with nothing. */
async function configurationIn(
  options: CommonOptions,
  { cwd, home, env }: Surroundings,
): Promise<Omit<Configured, 'named'>> {
  const overrides = await overridesOf(options, env, cwd);
  const file = findConfigFile(options.config || env.SKILLGATE_CONFIG || undefined, { cwd, home });
  if (file === null && overrides.length === 0) return { ...NOTHING, file, roots: [] };
  const { configWithoutFile } = await import('./config/check.ts');
  if (file === null) return { ...configWithoutFile(overrides), file, roots: [] };
  const folder = dirname(file);
  if (isSmallForm(file)) {
    const { readSmallForm } = await import('./config/small-form.ts');
    const { skills, index } = readSmallForm(textOf(file), file);
    const { config, placeOf } = configWithoutFile(overrides);
    const whole = { ...config, index: { ...index, ...config.index } };
    const roots = skills.map((path) => resolve(folder, fromHome(path, home)));
    return { config: withAbsolutePaths(whole, folder, home), placeOf, file, roots };
  }
  const { readConfig } = await import('./config/read.ts');
  const { config, placeOf } = readConfig(textOf(file), file, overrides);
  return { config: withAbsolutePaths(config, folder, home), placeOf, file, roots: [] };
}

const NOTHING: ConfigReading = {
  config: DEFAULTS,
  placeOf: () => ({ where: 'The configuration', line: null, column: null }),
};

async function overridesOf(
  { set = [] }: CommonOptions,
  env: Surroundings['env'],
  cwd: string,
): Promise<readonly Override[]> {
  if (set.length === 0 && !maySaySomething(env)) return [];
  const { overridesOfEnvironment, overridesOfFlags } = await import('./config/overrides.ts');
  return [...overridesOfEnvironment(env, cwd), ...overridesOfFlags(set, cwd)];
}

/** Rejects with `CliError` with `usage` for a setting that makes no sense. An empty one counts as not given. */
export async function settingsOf(options: CommonOptions, around: Surroundings): Promise<Settings> {
  const { cwd, home, env } = around;
  const configured = await configuredBy(options, around);
  const { config, file } = configured;
  const embedder = options.embedder || config.index.embedder || undefined;
  const asked = options.vectors || config.index.vectors || 'auto';
  const vectors = z.enum(VECTOR_MODES).safeParse(asked);
  if (!vectors.success)
    throw new CliError(EXIT.usage, `--vectors takes ${VECTOR_MODES.join(', ')}, not "${asked}".`);
  const cacheFolder = cacheFolderOf(around);
  const sources = sourcesOf(options, configured, around, cacheFolder);
  const roots = sources.flatMap(({ name, config: source, awaited }) =>
    source.kind === 'local' ? { name, root: source.root, awaited } : [],
  );
  const index = options.index ? fromHome(options.index, home) : config.index.folder || undefined;
  return {
    sources,
    roots,
    indexFolder:
      index === undefined ? join(cacheFolder, indexName(sources, embedder, around)) : resolve(cwd, index),
    cacheFolder,
    embedder,
    vectors: vectors.data,
    config,
    configured: configured.named.map(({ name }) => name),
    configFile: file,
    lockFile: file === null ? null : lockFileOf(file),
    frozen: options.frozen ?? /^(1|true)$/i.test(env.SKILLGATE_FROZEN ?? ''),
  };
}

export const lockFileOf = (configFile: string) => join(dirname(configFile), 'skillgate.lock.json');

/** Folders that flags or environment name, or else the file's sources, or else the folders that agents use. */
function sourcesOf(
  options: CommonOptions,
  configured: Configured,
  { cwd, home, env }: Surroundings,
  cacheFolder: string,
): SourceSettings[] {
  const named = nonEmpty(options.skills) ?? nonEmpty(env.SKILLGATE_SKILLS?.split(delimiter));
  const given = named?.map((path) => fromHome(path, home)) ?? nonEmpty(configured.roots);
  if (given !== undefined || configured.config.sources.length === 0)
    return (given === undefined ? defaultRoots({ home, cwd }) : nameRoots(given, { home, cwd })).map(
      localSettings,
    );
  return configuredSources(configured, env, cacheFolder);
}

function configuredSources(
  { named, placeOf, file }: Configured,
  env: Surroundings['env'],
  cacheFolder: string,
): SourceSettings[] {
  const problems: ConfigProblem[] = [];
  const sources = named.flatMap(({ name, source: written }, at) => {
    if (!written.enabled) return [];
    const { source, token, missing } = expandSource(written, env);
    for (const { path, message } of missing) problems.push({ ...placeOf(['sources', at, ...path]), message });
    const place = placeFor(cacheFolder, file, name, written);
    return { name, priority: written.priority, config: source, token, place, awaited: false };
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return sources.toSorted((a, b) => b.priority - a.priority);
}

/** Two projects may pin one origin to different commits: each has its own copy. */
export function placeFor(
  cacheFolder: string,
  file: string | null,
  name: string,
  source: SourceConfig,
): string {
  const identity = createHash('sha256').update(JSON.stringify([file, name, originOf(source)]));
  return join(cacheFolder, 'sources', `${name}-${identity.digest('hex').slice(0, 16)}`);
}

const localSettings = ({ name, root, awaited = false }: NamedRoot): SourceSettings => ({
  name,
  awaited,
  priority: 0,
  config: { kind: 'local', enabled: true, priority: 0, root },
  token: undefined,
  place: '',
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
      return ['mcp', source.url ?? [source.command, ...source.args], source.via];
  }
}

/** The XDG specification has relative and empty paths ignored. */
export const cacheFolderOf = ({ home, env: { XDG_CACHE_HOME: folder = '' } }: Surroundings) =>
  join(isAbsolute(folder) ? folder : join(home, '.cache'), 'skillgate');

/**
 * One index a set of sources and model, so that projects don't overwrite each other's. Where hosts' folders are looked
 * for, all of them count: which are listed depends on links, and those come and go.
 */
function indexName(
  sources: readonly SourceSettings[],
  embedder: string | undefined,
  around: Surroundings,
): string {
  const origins = sources.map(({ config, place }) => (config.kind === 'local' ? config.root : place));
  const hosts = sources.some(({ awaited }) => awaited) ? hostRoots(around) : [];
  const identity = JSON.stringify([[...new Set([...hosts, ...origins])], embedder ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  const given = list?.filter((part) => part !== '') ?? [];
  return given.length > 0 ? given : undefined;
}
