/**
 * The configuration of a command: which files it has, what of them is trusted, and what flags and environment say instead. The
 * only file that reads the environment.
 */

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { projectWith } from '../sources/scan/roots.ts';
import type { ConfigReading } from './config/check.ts';
import { DEFAULTS } from './config/defaults.ts';
import {
  type FoundFile,
  namedFile,
  projectFile,
  trustsProjects,
  userConfigFolder,
  userFile,
} from './config/find.ts';
import type { Layer } from './config/layers.ts';
import type { Override } from './config/overrides.ts';
import type { Config } from './config/schema.ts';
import { type NamedSource, nameSources } from './config/source-names.ts';
import { VARIABLES } from './config/variables.ts';
import type { ProjectTrust } from './trust.ts';

/** Flags of every command, as commander parses them. */
export interface ConfigFlags {
  readonly skills?: readonly string[];
  readonly index?: string;
  readonly embedder?: string;
  readonly vectors?: string;
  readonly json?: boolean;
  readonly config?: string;
  /** Single settings, each as `path=value`. */
  readonly set?: readonly string[];
  readonly frozen?: boolean;
  /** False: rules of the project count only where they are stricter than the caller's. Default true. */
  readonly projectRules?: boolean;
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
  options: ConfigFlags,
  environment: ProcessEnvironment,
): Promise<Configured> {
  const read = await configurationIn(options, environment);
  const notices = [...read.notices];
  const named = nameSources(read.config.sources, read.placeOf, environment, {
    isOfProject: (at) => read.project !== undefined && read.origins[at] === read.project.file,
    note: (message) => notices.push(message),
  });
  return { ...read, named, notices };
}

type Read = Omit<Configured, 'named'>;

/** Loads schema and parsers only where something is configured, since most servers start without a configuration. */
async function configurationIn(options: ConfigFlags, environment: ProcessEnvironment): Promise<Read> {
  const overrides = await readOverrides(options, environment);
  const notices: string[] = [];
  const { named, user, own } = filesFor(options, environment, notices);
  const trusted = named ?? (own === null ? user : null);
  if (trusted !== null) return ofUser(trusted, named !== null, { options, environment, overrides, notices });
  if (own !== null) return ofProject(own, user, { options, environment, overrides, notices });
  const none = { file: null, lockFile: null, origins: [], notices };
  if (overrides.length === 0) return { ...NOTHING, ...none };
  const { configWithoutFile } = await import('./config/check.ts');
  return { ...configWithoutFile(overrides), ...none };
}

/** The named file, or else that of the user, and that of the project where it is another one. */
function filesFor({ config }: ConfigFlags, environment: ProcessEnvironment, notices: string[]) {
  const wanted = config || environment.env.SKILLGATE_CONFIG || undefined;
  if (wanted !== undefined) return { named: namedFile(wanted, environment), user: null, own: null };
  const user = userFile(userConfigFolder(environment));
  const found = projectFile(environment, (line) => notices.push(line));
  // In the user's own folder, the nearest file is the user's.
  const isUsers = found !== null && user !== null && found.file === realpathSync(user.file);
  return { named: null, user, own: isUsers ? null : found };
}

interface Reading {
  readonly options: ConfigFlags;
  readonly environment: ProcessEnvironment;
  readonly overrides: readonly Override[];
  readonly notices: string[];
}

/** From a file that the user named, or has for all projects. */
async function ofUser(
  trusted: FoundFile,
  isNamed: boolean,
  { options, environment, overrides, notices }: Reading,
): Promise<Read> {
  const { configOfLayers, readLayer } = await import('./config/layers.ts');
  const read = configOfLayers([readLayer(trusted)], overrides, environment.home);
  const { file } = trusted;
  const remedy = `list the sources whose scripts may run in ${file}.`;
  const isTrusted =
    isNamed || trustsProjects(environment.env) || !servesProject(read.config, options, environment);
  const config = isTrusted ? read.config : withoutScripts(read.config, notices, remedy);
  return { ...read, config, file, lockFile: lockFileBeside(file), notices };
}

/** From the project's file, over that of the user; what no one trusts is left out. */
async function ofProject(
  own: FoundFile,
  user: FoundFile | null,
  { options, environment, overrides, notices }: Reading,
): Promise<Read> {
  const { configOfLayers, readLayer } = await import('./config/layers.ts');
  const { examineProject, leftOutLine } = await import('./trust.ts');
  const { layer: ofFile, ...project } = examineProject(own, environment);
  const under = user === null ? [] : [readLayer(user)];
  const layer = options.projectRules === false ? await strict(ofFile, under[0], notices) : ofFile;
  const read = configOfLayers([layer, ...under], overrides, environment.home);
  const { file } = project;
  if (project.state === 'trusted') return { ...read, file, lockFile: lockFileBeside(file), project, notices };
  if (project.parts.length > 0) notices.push(leftOutLine(project));
  const lockFile = user === null ? null : lockFileBeside(user.file);
  const serves = read.origins.includes(file) || servesProject(read.config, options, environment);
  const remedy = 'trust this project with skillgate trust.';
  const config = serves ? withoutScripts(read.config, notices, remedy) : read.config;
  return { ...read, config, file, lockFile, project, notices };
}

async function strict(layer: Layer, under: Layer | undefined, notices: string[]): Promise<Layer> {
  const { withoutMilderRules } = await import('./config/stricter-rules.ts');
  const { layer: kept, milder } = withoutMilderRules(layer, under);
  if (milder.length > 0)
    notices.push(
      `The project's file makes rules milder, which is ignored here: ${milder.join(', ')}. To use them: --project-rules.`,
    );
  return kept;
}

/** Whether the default folders are served, and some of them are those of a project. */
const servesProject = (config: Config, options: ConfigFlags, environment: ProcessEnvironment) =>
  config.sources.length === 0 &&
  namedFolders(options, environment) === undefined &&
  projectWith(environment.cwd, environment) !== undefined;

/** The user allows scripts by the names of sources, and a project that is not trusted may give its own any name. */
function withoutScripts(config: Config, notices: string[], remedy: string): Config {
  if (!config.scripts.enabled) return config;
  notices.push(`Scripts are off here, because skills of a project are served. To allow them, ${remedy}`);
  return { ...config, scripts: { ...config.scripts, enabled: false } };
}

const NOTHING: ConfigReading = {
  config: DEFAULTS,
  placeOf: () => ({ where: 'The configuration', line: null, column: null }),
};

async function readOverrides(
  { set = [] }: ConfigFlags,
  environment: ProcessEnvironment,
): Promise<readonly Override[]> {
  const { env } = environment;
  if (set.length === 0 && !Object.keys(VARIABLES).some((name) => env[name])) return [];
  const { overridesOfEnvironment, overridesOfFlags } = await import('./config/overrides.ts');
  return [...overridesOfEnvironment(env, environment), ...overridesOfFlags(set, environment)];
}

export const lockFileBeside = (configFile: string) => join(dirname(configFile), 'skillgate.lock.json');

/** The folders that flags or environment name instead of sources. */
export const namedFolders = ({ skills }: ConfigFlags, { env }: ProcessEnvironment) =>
  nonEmpty(skills) ?? nonEmpty(env.SKILLGATE_SKILLS?.split(delimiter));

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  const given = list?.filter((part) => part !== '') ?? [];
  return given.length > 0 ? given : undefined;
}
