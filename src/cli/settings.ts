/**
 * Which skills, which index, which model: flags before environment before `.skillgate.json` before defaults.
 * The only place that reads the environment.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { defaultRoots, type NamedRoot, nameRoots } from '../catalog/names.ts';
import { CliError, EXIT } from './exit-codes.ts';

const CONFIG_FILE = '.skillgate.json';
const VECTOR_MODES = ['auto', 'exact', 'hnsw'] as const;

/** Options that every command takes, as commander gives them. */
export interface CommonOptions {
  readonly skills?: readonly string[];
  readonly index?: string;
  readonly embedder?: string;
  readonly vectors?: string;
  readonly json?: boolean;
}

export interface Settings {
  readonly roots: readonly NamedRoot[];
  /** Absolute. */
  readonly indexFolder: string;
  /** Absolute: where other models' downloads and embeddings are kept, whatever the index. */
  readonly cacheFolder: string;
  readonly embedder: string | undefined;
  readonly vectors: (typeof VECTOR_MODES)[number];
}

const configSchema = z.strictObject({
  skills: z.array(z.string()).optional(),
  index: z.string().optional(),
  embedder: z.string().optional(),
  vectors: z.enum(VECTOR_MODES).optional(),
});

export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const surroundings = (): Surroundings => ({ cwd: process.cwd(), home: homedir(), env: process.env });

/** Throws `CliError` with `usage` for a setting that makes no sense. An empty one counts as not given. */
export function settingsOf(options: CommonOptions, { cwd, home, env }: Surroundings): Settings {
  const config = readConfig(cwd, home);
  const atHome = (path: string) => fromHome(path, home);
  const given =
    nonEmpty(options.skills) ?? nonEmpty(env.SKILLGATE_SKILLS?.split(delimiter)) ?? nonEmpty(config.skills);
  const roots = nameRoots(given?.map(atHome) ?? defaultRoots({ home, cwd }), { home, cwd });
  const embedder = options.embedder || env.SKILLGATE_EMBEDDER || config.embedder || undefined;
  const asked = options.vectors || env.SKILLGATE_VECTORS || config.vectors || 'auto';
  const vectors = z.enum(VECTOR_MODES).safeParse(asked);
  if (!vectors.success)
    throw new CliError(EXIT.usage, `--vectors takes ${VECTOR_MODES.join(', ')}, not "${asked}".`);
  const cacheFolder = join(cacheHome(home, env), 'skillgate');
  const index = options.index || env.SKILLGATE_INDEX || config.index || undefined;
  return {
    roots,
    indexFolder:
      index === undefined ? join(cacheFolder, indexName(roots, embedder)) : resolve(cwd, atHome(index)),
    cacheFolder,
    embedder,
    vectors: vectors.data,
  };
}

/** The XDG specification has relative and empty paths ignored. */
const cacheHome = (home: string, { XDG_CACHE_HOME: folder = '' }: Surroundings['env']) =>
  isAbsolute(folder) ? folder : join(home, '.cache');

/** One index a set of folders and model, so that projects don't overwrite each other's. */
function indexName(roots: readonly NamedRoot[], embedder: string | undefined): string {
  const identity = JSON.stringify([roots.map(({ root }) => root), embedder ?? null]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 16);
}

/** `~/…` as a shell would have it: where settings stand in a client's JSON, no shell has seen them. */
const fromHome = (path: string, home: string) => (/^~(?=[/\\]|$)/.test(path) ? home + path.slice(1) : path);

/** The nearest `.skillgate.json` at or above `cwd`; its paths are relative to its own folder. */
function readConfig(cwd: string, home: string): z.infer<typeof configSchema> {
  const file = findUpwards(cwd, CONFIG_FILE);
  if (file === null) return {};
  const parsed = configSchema.safeParse(parseJson(file));
  if (!parsed.success)
    throw new CliError(EXIT.usage, `${file} is not valid: ${z.prettifyError(parsed.error)}`);
  const own = (path: string) => resolve(dirname(file), fromHome(path, home));
  const { skills, index, embedder, ...rest } = parsed.data;
  return {
    ...rest,
    ...(skills === undefined ? {} : { skills: skills.map(own) }),
    ...(index === undefined ? {} : { index: own(index) }),
    // A model may also be an id of a hub, which looks like a relative path.
    ...(embedder === undefined ? {} : { embedder: /^[.~]/.test(embedder) ? own(embedder) : embedder }),
  };
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.usage, `${file} cannot be read as JSON: ${reason}.`, cause);
  }
}

function findUpwards(from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, name);
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) return null;
  }
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  const given = list?.filter((part) => part !== '') ?? [];
  return given.length > 0 ? given : undefined;
}
