/** The sources of the settings, ready to open: named, with absolute paths and expanded secrets. */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isNothing, leadsOutside } from '../sources/scan/real-path.ts';
import { defaultRoots, type NamedRoot, nameRoots, projectWith } from '../sources/scan/roots.ts';
import type { Links } from '../sources/scan/walk.ts';
import { AppError, ConfigError, type ConfigProblem } from './app-error.ts';
import { expandSource } from './config/expand.ts';
import { fromHome } from './config/files.ts';
import type { SourceConfig } from './config/schema.ts';
import { type ConfigFlags, type Configured, namedFolders, type ProcessEnvironment } from './configured.ts';

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
  /** Absolute: where requests for its skills are kept. */
  readonly requests?: string | undefined;
  /** What was not understood of a plugin: the source has no skills. */
  readonly remark?: string | undefined;
  /** True for a source that every project of the user has. */
  readonly ofUser?: boolean;
}

/** Beside the configuration that names the source; else in its project, or in the user's folder. */
export const requestsFile = (folder: string) => join(folder, 'skillgate.requests.jsonl');

/** Before the settings say which links are followed. */
export type UnlinkedSettings = Omit<SourceSettings, 'links'>;

/** False while the folder of an optional source does not exist. */
export const isThere = ({ optional, config }: SourceSettings) =>
  !optional || config.kind !== 'local' || !isNothing(config.root);

interface Sourced {
  readonly sources: readonly SourceSettings[];
}

/** One sentence for each missing folder. A folder that is only looked at because hosts use it may be missing. */
export function missingFolders({ sources }: Sourced): string[] {
  const missing = sources.flatMap(({ name, config, optional }) =>
    optional || config.kind !== 'local' || !isNothing(config.root)
      ? []
      : [`The folder of the source ${name} does not exist: ${config.root}.`],
  );
  const more = missing.length - NAMED_MISSING;
  if (more <= 0) return missing;
  return [...missing.slice(0, NAMED_MISSING), `So it is for ${more} other sources.`];
}

/** Missing folders that are named: every search answer repeats them. */
const NAMED_MISSING = 5;

/** Throws `FOLDER_MISSING`. */
export function requireNamedFolders(settings: Sourced): void {
  const missing = missingFolders(settings);
  if (missing.length > 0)
    throw new AppError('FOLDER_MISSING', `${missing.join(' ')} Name an existing folder, or create it.`);
}

/** The folders of flags or environment, else the sources of the file, else the folders that agents use. */
export function readSources(
  options: ConfigFlags,
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
  { sources: named, project }: Configured,
  env: ProcessEnvironment['env'],
  cacheFolder: string,
): UnlinkedSettings[] {
  const problems: ConfigProblem[] = [];
  const sources = named.map(({ name, source: written, file, placeOf }) => {
    const { source, token, missing } = expandSource(written, env);
    for (const { path, message } of missing) problems.push({ ...placeOf(path), message });
    const fetchFolder = findFetchFolder(cacheFolder, file, name, written);
    const isOfProject = file === project?.file;
    const within =
      isOfProject && written.kind === 'local' && written.links === undefined
        ? keptIn(dirname(file), written.root)
        : undefined;
    return {
      name,
      requests: requestsFile(dirname(file)),
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

/** The project, where the folder is in it; a folder outside was named by someone who wants it. */
const keptIn = (project: string | undefined, root: string) =>
  project === undefined || leadsOutside(project, root) ? undefined : project;

/** Each project has its own copy, since two projects may pin one origin to different commits. */
export function findFetchFolder(
  cacheFolder: string,
  file: string | null,
  name: string,
  source: SourceConfig,
): string {
  const identity = createHash('sha256').update(JSON.stringify([file, name, sourceOrigin(source)]));
  return join(cacheFolder, 'sources', `${name}-${identity.digest('hex').slice(0, 16)}`);
}

export const localSettings = ({
  name,
  root,
  optional = false,
  within,
  remark,
  ofUser,
}: NamedRoot): UnlinkedSettings => ({
  name,
  within,
  remark,
  ofUser,
  optional,
  config: { kind: 'local', root },
  token: undefined,
  fetchFolder: '',
});

/** What a source fetches: another one starts from nothing. Secrets as they are written, not as they are. */
function sourceOrigin(source: SourceConfig): unknown {
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
