/** Which configuration file is in force, and how its own paths are meant. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, EXIT } from '../exit-codes.ts';
import type { Config, SourceConfig } from './schema.ts';

/** The old form: folders, index and model alone. */
export const SMALL_FILE = '.skillgate.json';
export const CONFIG_FILES = [
  'skillgate.config.json',
  'skillgate.config.yaml',
  'skillgate.config.yml',
] as const;

export interface Home {
  readonly cwd: string;
  readonly home: string;
}

/**
 * The one that is named, or else the nearest at or above `cwd`; null where there is none. Throws `CliError` with
 * `usage` where the named one is missing, or where one folder has several.
 */
export function findConfigFile(named: string | undefined, { cwd, home }: Home): string | null {
  if (named !== undefined) {
    const file = resolve(cwd, fromHome(named, home));
    if (!existsSync(file)) throw new CliError(EXIT.usage, `The configuration file ${file} does not exist.`);
    return file;
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = [...CONFIG_FILES, SMALL_FILE].filter((name) => existsSync(join(folder, name)));
    const [first, second] = found;
    if (second !== undefined)
      throw new CliError(
        EXIT.usage,
        `${folder} holds ${found.join(' and ')}, and only one can be in force: keep one of them, or name it with --config.`,
      );
    if (first !== undefined) return join(folder, first);
    if (dirname(folder) === folder) return null;
  }
}

export const isSmallForm = (file: string) => basename(file) === SMALL_FILE;

/** Throws `CliError` with `usage`. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.usage, `${file} cannot be read: ${reason}.`, cause);
  }
}

/** `~/…` as a shell would have it: where settings stand in a client's JSON, no shell has seen them. */
export const fromHome = (path: string, home: string) =>
  /^~(?=[/\\]|$)/.test(path) ? home + path.slice(1) : path;

/** The configuration with absolute paths; what it names is relative to `folder`, the file's own. */
export function withAbsolutePaths(config: Config, folder: string, home: string): Config {
  const own = (path: string) => resolve(folder, fromHome(path, home));
  // A model may also be an id of a hub, and a command one of the PATH, which look like relative paths.
  const ownIfRelative = (path: string) => (/^[.~]/.test(path) ? own(path) : path);
  const { index, auth, http, telemetry } = config;
  return {
    ...config,
    sources: config.sources.map((source) => absoluteSource(source, own, ownIfRelative, folder)),
    index: {
      ...index,
      ...(index.folder === undefined ? {} : { folder: own(index.folder) }),
      ...(index.embedder === undefined ? {} : { embedder: ownIfRelative(index.embedder) }),
    },
    auth: { ...auth, ...(auth.tokens === undefined ? {} : { tokens: own(auth.tokens) }) },
    http: {
      ...http,
      ...(http.tls === undefined ? {} : { tls: { cert: own(http.tls.cert), key: own(http.tls.key) } }),
    },
    telemetry: {
      ...telemetry,
      ...(telemetry.audit === undefined || telemetry.audit === 'stderr'
        ? {}
        : { audit: own(telemetry.audit) }),
    },
  };
}

function absoluteSource(
  source: SourceConfig,
  own: (path: string) => string,
  ownIfRelative: (path: string) => string,
  folder: string,
): SourceConfig {
  switch (source.kind) {
    case 'local':
      return { ...source, root: own(source.root) };
    case 'archive':
      return { ...source, path: own(source.path) };
    case 'git':
      return { ...source, url: ownIfRelative(source.url) };
    case 'mcp':
      return {
        ...source,
        ...(source.command === undefined ? {} : { command: ownIfRelative(source.command) }),
        cwd: source.cwd === undefined ? folder : own(source.cwd),
      };
    case 'well-known':
      return source;
  }
}
