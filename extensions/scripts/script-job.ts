/** From a request to a job that the sandbox can run: verified files, arguments, command, environment, limits. */

import { existsSync, realpathSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import type { CatalogEntry, ServedLibrary } from '../../src/app/extension-api.ts';
import { clip, quote } from '../../src/base/text.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import type { ScriptInput, ScriptRequest } from '../../src/gateway/scripts.ts';
import { findFiles, readSkillFile } from '../../src/gateway/skill-files.ts';
import { digestFiles } from '../../src/skills/digest.ts';
import { checkWords, type Given, givenBy } from './arguments.ts';
import { type Declared, granted } from './declared.ts';
import { findInterpreter } from './interpreters.ts';
import { commonDomains } from './network/domains.ts';
import type { GivenFile, Limits, Sandbox } from './sandbox/sandbox.ts';

/** Where the sandbox shows the skill's folder. */
const SKILL_FOLDER = '/skill';

/** Everything that a run needs once its turn comes. */
export interface ScriptJob {
  readonly entry: CatalogEntry;
  readonly path: string;
  readonly input: ScriptInput;
  readonly given: Given;
  readonly command: readonly [program: string, ...args: string[]];
  /** The skill's files, held in memory since they were verified. */
  readonly files: readonly GivenFile[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** Folders of the machine that it sees, read-only. */
  readonly folders: readonly string[];
  /** Domains that the script may reach. */
  readonly domains: readonly string[];
  /** Domains that the skill asks for and may not reach. */
  readonly wanted: readonly string[];
}

/** What the configuration grants to every script. */
interface JobOptions {
  readonly sandbox: Pick<Sandbox, 'programPath'>;
  readonly limits: Limits;
  readonly env: Readonly<Record<string, string>>;
  readonly domains: readonly string[];
  /** Folders that scripts may read where their skills ask for them. */
  readonly folders: readonly string[];
}

/** `files` are the verified files of the skill, and `path` one of them. Throws `SCRIPT_ARGUMENTS` or `SCRIPT_REFUSED`. */
export function prepareJob(
  { entry, path, files }: Pick<ScriptJob, 'entry' | 'path' | 'files'>,
  { input, timeoutMs }: Pick<ScriptRequest, 'input' | 'timeoutMs'>,
  declared: Declared,
  { sandbox, limits, env, domains: grantedDomains, folders }: JobOptions,
): ScriptJob {
  const bytes = files.find((file) => file.path === path)?.bytes ?? new Uint8Array();
  const given =
    input.kind === 'named'
      ? givenBy(input.values, declared.style, Buffer.from(bytes).toString('utf8'))
      : input;
  checkWords(given.words);
  const interpreter = findInterpreter(path, bytes, (name) => sandbox.programPath(name) !== null);
  const [program, ...rest] = interpreter ?? [];
  if (program === undefined)
    throw refusal(
      entry,
      `no interpreter is known for ${path}: it has neither a first line with #! nor a known extension`,
    );
  const domains = commonDomains(grantedDomains, declared.network);
  return {
    entry,
    path,
    input,
    given,
    command: [program, ...rest, `${SKILL_FOLDER}/${path}`, ...given.words],
    files,
    folders: declared.folders.map((asked) => findFolder(asked, folders, entry)),
    env: granted(env, declared),
    limits: lowered(limits, declared, timeoutMs),
    domains,
    wanted: declared.network.filter((domain) => !domains.includes(domain.toLowerCase())),
  };
}

/** The folder that a skill asks for. Throws `SCRIPT_REFUSED` unless it is granted, and is no link to elsewhere. */
function findFolder(
  { access, path }: Declared['folders'][number],
  grantedFolders: readonly string[],
  entry: CatalogEntry,
): string {
  const folder = resolve(path);
  if (access === 'write') throw refusal(entry, `it asks to write to ${path}: folders are read-only`);
  if (!grantedFolders.some((allowed) => folder === allowed || folder.startsWith(`${allowed}/`)))
    throw refusal(entry, `it asks to read ${path}, which scripts.folders does not allow`);
  const real = existsSync(folder) ? realpathSync(folder) : null;
  if (real !== folder)
    throw refusal(
      entry,
      `it asks to read ${path}, which ${real === null ? 'does not exist' : `leads to ${real}`}`,
    );
  return folder;
}

/** The configuration's limits, where the skill or the caller asks for less. */
function lowered(limits: Limits, declared: Declared, timeoutMs = limits.wallMs): Limits {
  return {
    ...limits,
    wallMs: Math.min(limits.wallMs, declared.timeoutMs ?? limits.wallMs, timeoutMs),
    memoryBytes: Math.min(limits.memoryBytes, declared.memoryBytes ?? limits.memoryBytes),
    ...(!declared.writes && { fileBytes: 0 }),
  };
}

/** The limits of the Skills extension: what may be published may be run. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 2 ** 20;

/** Throws `SCRIPT_REFUSED` where the digest differs, or where the skill is too large. */
export async function verifiedFiles(
  library: Pick<ServedLibrary, 'filesOf'>,
  entry: CatalogEntry,
): Promise<readonly GivenFile[]> {
  const listed = await findFiles(library, entry);
  const size = listed.reduce((sum, file) => sum + file.size, 0);
  if (listed.length > MAX_FILES || size > MAX_BYTES)
    throw refusal(
      entry,
      `it has ${listed.length} files of ${size} bytes; at most ${MAX_FILES} files of ${MAX_BYTES} bytes`,
    );
  const files = await Promise.all(
    listed.map(async ({ path }) => {
      const bytes = await readSkillFile(entry, path, listed);
      if (bytes === null) throw refusal(entry, `${path} cannot be read`);
      return { path, bytes };
    }),
  );
  if (digestFiles(files) !== entry.digest)
    throw refusal(entry, 'its files have changed since they were indexed');
  return files;
}

export function refusal({ id, digest }: Pick<CatalogEntry, 'id' | 'digest'>, reason: string): GatewayError {
  return new GatewayError('SCRIPT_REFUSED', `Nothing of the skill ${id} was run: ${reason}.`, {
    data: { skill: id, digest },
  });
}

const FOLDER = 'scripts/';
/** Paths listed where the requested script does not exist. */
const LISTED = 20;

/** By path, or by a unique name with or without extension. Throws `SCRIPT_UNKNOWN`. */
export function scriptNamed(
  asked: string,
  { id }: Pick<CatalogEntry, 'id'>,
  paths: readonly string[],
): string {
  const scripts = paths.filter((path) => path.startsWith(FOLDER));
  const wanted = asked.trim().replace(/^\.\//, '');
  const namings: ((path: string) => string)[] = [
    (path) => path,
    (path) => path.slice(FOLDER.length),
    basename,
    (path) => basename(path, extname(path)),
  ];
  for (const nameOf of namings) {
    const [first, ...others] = scripts.filter((path) => nameOf(path) === wanted);
    if (first !== undefined && others.length === 0) return first;
  }
  const listed = scripts.slice(0, LISTED);
  const advice =
    listed.length === 0
      ? `It has no file below ${FOLDER}, and only those are run.`
      : `Its scripts are ${listed.map(quote).join(', ')}.`;
  throw new GatewayError(
    'SCRIPT_UNKNOWN',
    `The skill ${id} has no script ${quote(clip(asked, 120))}. ${advice}`,
    {
      data: { skill: id, scripts: listed },
    },
  );
}
