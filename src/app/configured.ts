/**
 * The configuration of a command: which files it has, what of them is trusted, and what flags and environment say instead. The
 * only file that reads the environment.
 */

import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { homeFolder } from '../base/files/home-folder.ts';
import { projectWith } from '../sources/scan/roots.ts';
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
  home: homeFolder(),
  env: process.env,
});

/** The configuration before sources are selected and secrets expanded. */
export interface Configured {
  /** Paths are absolute. */
  readonly config: Config;
  /** The named file, else that of the project, else that of the user. */
  readonly file: string | null;
  /** Where the versions of sources are kept: next to a file that may have fetched sources. */
  readonly lockFile: string | null;
  /** In the order of the files. */
  readonly sources: readonly NamedSource[];
  /** Null where no project's file is used. */
  readonly project: ProjectTrust | null;
  readonly notices: readonly string[];
}

type Note = (message: string) => void;

/**
 * Find → read → trust → check → names; `readSettings` goes on with secrets. Schema and parsers are loaded only where something is
 * configured, since most servers start without a configuration. Rejects with `ConfigError` and `CONFIG_UNREADABLE`.
 */
export async function configuredBy(
  options: ConfigFlags,
  environment: ProcessEnvironment,
): Promise<Configured> {
  const notices: string[] = [];
  const note: Note = (message) => notices.push(message);
  const overrides = await readOverrides(options, environment);
  const found = findFiles(options, environment, note);
  const file = (found.project ?? found.user)?.file ?? null;
  if (file === null && overrides.length === 0)
    return { config: DEFAULTS, file, lockFile: null, sources: [], project: null, notices };

  const { configOfLayers, readLayer } = await import('./config/layers.ts');
  const user = found.user && readLayer(found.user);
  const project = found.project && (await readProject(found.project, user, { options, environment, note }));
  const layers = [project?.layer ?? null, user].filter((layer) => layer !== null);
  const { config, sources } = configOfLayers(layers, overrides, environment.home);

  const servesProject =
    sources.some((source) => source.file === project?.file) ||
    usesProjectFolders(config, options, environment);
  const allowsScripts =
    file === null || found.isNamed || trustsProjects(environment.env) || project?.state === 'trusted';
  const lockedBy = project === null || project.state === 'trusted' ? file : found.user?.file;
  return {
    config:
      servesProject && !allowsScripts ? withoutScripts(config, project === null ? file : null, note) : config,
    file,
    lockFile: lockedBy == null ? null : lockFileBeside(lockedBy),
    sources: nameSources(sources, environment, { projectFile: project?.file, note }),
    project,
    notices,
  };
}

/** `user` is the named file, or that of the user for all projects; `project` is another one. */
function findFiles({ config }: ConfigFlags, environment: ProcessEnvironment, note: Note) {
  const wanted = config || environment.env.SKILLGATE_CONFIG || undefined;
  if (wanted !== undefined) return { user: namedFile(wanted, environment), isNamed: true, project: null };
  const user = userFile(userConfigFolder(environment));
  const nearest = projectFile(environment, note);
  // In the user's own folder, the nearest file is the user's.
  const isUsers = nearest !== null && user !== null && nearest.file === realpathSync(user.file);
  return { user, isNamed: false, project: isUsers ? null : nearest };
}

interface Around {
  readonly options: ConfigFlags;
  readonly environment: ProcessEnvironment;
  readonly note: Note;
}

/** The project's file. Its `layer` leaves out what no one trusts, and rules that are milder than asked for. */
async function readProject(
  found: FoundFile,
  user: Layer | null,
  { options, environment, note }: Around,
): Promise<ProjectTrust> {
  const { examineProject, leftOutLine } = await import('./trust.ts');
  const { withoutMilderRules } = await import('./config/untrusted.ts');
  const project = examineProject(found, environment);
  const { layer, parts, state } = project;
  const { value, milder } =
    options.projectRules === false
      ? withoutMilderRules(layer.value, user?.value)
      : { value: layer.value, milder: [] };
  if (milder.length > 0)
    note(
      `The project's file makes rules milder, which is ignored here: ${milder.join(', ')}. To use them: --project-rules.`,
    );
  if (state !== 'trusted' && parts.length > 0) note(leftOutLine(project));
  return { ...project, layer: { ...layer, value } };
}

/** Whether the default folders are served, and some of them are those of a project. */
const usesProjectFolders = (config: Config, options: ConfigFlags, environment: ProcessEnvironment) =>
  config.sources.length === 0 &&
  namedFolders(options, environment) === undefined &&
  projectWith(environment.cwd, environment) !== undefined;

/** The user allows scripts by the names of sources, and a project that is not trusted may give its own any name. */
function withoutScripts(config: Config, ofUser: string | null, note: Note): Config {
  if (!config.scripts.enabled) return config;
  const remedy =
    ofUser === null
      ? 'trust this project with skillgate trust.'
      : `list the sources whose scripts may run in ${ofUser}.`;
  note(`Scripts are off here, because skills of a project are served. To allow them, ${remedy}`);
  return { ...config, scripts: { ...config.scripts, enabled: false } };
}

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
