/** `skillgate sources add|remove`: edits the configuration file, and creates it where there is none. */

import { existsSync, realpathSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { userCacheFolder } from '../../../src/app/cache.ts';
import { findReferences } from '../../../src/app/config/expand.ts';
import { readConfigFile } from '../../../src/app/config/files.ts';
import { CONFIG_FILES, type FoundFile, namedFile, projectFile } from '../../../src/app/config/find.ts';
import { gitAddress } from '../../../src/app/config/git-address.ts';
import { checkLayer, readLayer } from '../../../src/app/config/layers.ts';
import { locationText } from '../../../src/app/config/mask.ts';
import {
  configuredBy,
  lockFileBeside,
  type ProcessEnvironment,
  processEnvironment,
} from '../../../src/app/configured.ts';
import type { CommonOptions, OpenSources } from '../../../src/app/extension-api.ts';
import { writeLock, writeWhole } from '../../../src/app/lockfile.ts';
import { lockSources, openSources } from '../../../src/app/open-sources.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { findFetchFolder } from '../../../src/app/source-settings.ts';
import { examineProject, trustProject } from '../../../src/app/trust.ts';
import { defined } from '../../../src/base/json.ts';
import { counted } from '../../../src/base/text.ts';
import { trustAsked } from '../../../src/cli/ask-trust.ts';
import { withAudit } from '../../../src/cli/commands/with-gateway.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { print, printReport, say } from '../../../src/cli/output.ts';
import { hashBytes } from '../../../src/skills/digest.ts';
import { isFetched } from '../../../src/sources/fetched.ts';
import { leadsOutside } from '../../../src/sources/scan/real-path.ts';
import { defaultRoots } from '../../../src/sources/scan/roots.ts';
import type { Source } from '../../../src/sources/source.ts';
import { type SourceEntry, withoutSource, withSources } from './edit-config.ts';
import { entryFor, type Kind } from './source-location.ts';
import { unknownSource } from './sources.ts';

export interface AddOptions extends CommonOptions {
  readonly kind?: Kind;
  readonly name?: string;
  readonly ref?: string;
  readonly folder?: string;
  readonly tokenEnv?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly allowPrivate?: boolean;
  readonly mcpCommand?: string;
  readonly mcpUrl?: string;
  /** False for --no-fetch. */
  readonly fetch: boolean;
}

export async function add(locations: readonly string[], options: AddOptions): Promise<void> {
  const environment = processEnvironment();
  if (options.frozen === true) throw new CliError('USAGE', '--frozen adds no source. Leave it out.');
  const found = await editable(options, environment);
  const file = found?.file ?? join(realpathSync(environment.cwd), CONFIG_FILES[0]);
  const before = found?.text ?? '';
  const entry = await withRemoteRef(
    toSourceEntry(locations, options, dirname(file), environment),
    locations[0] ?? '',
    { options, environment },
  );
  const configured = read({ file, text: before === '' && file.endsWith('.json') ? '{}' : before }).sources;
  // A configured source replaces the default folders, so the first one adds them to the file as well.
  const others = configured.length === 0 ? defaultEntries(dirname(file), environment) : [];
  const text = withSources(before, file.endsWith('.json'), [...others, entry]);
  writeWhole(file, text);
  try {
    const outcome = await opened(file, options, environment);
    await audited(file, environment, 'sources add');
    keepTrust({ file, text }, options, environment);
    if (options.json === true) printReport({ file, ...outcome });
    else {
      const { name, kind, skills, resolved } = outcome;
      const at = resolved === null ? '' : ` at ${resolved}`;
      print(
        `Added ${name} (${kind})${at} to ${file}${skills === null ? '' : `: ${counted(skills, 'skill')}`}.`,
      );
      for (const line of outcome.remarks) say(line);
      for (const { root } of others) say(`${root} was a default folder and is now listed there as well.`);
    }
  } catch (error) {
    if (found === null) unlinkSync(file);
    else writeWhole(file, before);
    throw error;
  }
}

const read = (found: FoundFile) => checkLayer(readLayer(found));

/** Opens the last source of the file and, unless --no-fetch, fetches it. Throws where that fails. */
async function opened(file: string, options: AddOptions, environment: ProcessEnvironment) {
  // Only the file counts here: flags and environment may replace its sources.
  const { SKILLGATE_SKILLS: _, SKILLGATE_FROZEN: __, ...env } = environment.env;
  const { index, extensions } = options;
  const settings = await readSettings({ config: file, index, extensions }, { ...environment, env });
  const name = settings.configured.at(-1);
  const own = settings.sources.filter((source) => source.name === name);
  const open = await openSources({ ...settings, sources: own }, environment);
  try {
    return await fetched(open, settings, options.fetch);
  } finally {
    await open.close();
  }
}

async function fetched(open: OpenSources, settings: Parameters<typeof lockSources>[1], fetch: boolean) {
  const [source] = open.all;
  if (source === undefined) throw new CliError('FAILED', 'The source could not be opened.');
  if (!isFetched(source))
    return { name: source.name, kind: 'local', resolved: null, ...(await scanned(source)) };
  const { name, kind } = source.status();
  if (!fetch) return { name, kind, resolved: null, skills: null, remarks: [] };
  await source.refresh();
  const { failure, resolved } = source.status();
  if (failure !== null)
    throw new CliError(
      'FAILED',
      `${name} could not be fetched, and nothing was written. ${failure} --no-fetch adds it without fetching.`,
    );
  await lockSources(open.fetched, settings, say);
  return { name, kind, resolved, ...(await scanned(source)) };
}

/** Remarks that are shown of a source; `validate` has all. */
const SHOWN_REMARKS = 5;

/** Number of skills, and why there are not more. */
async function scanned(source: Source): Promise<{ skills: number; remarks: string[] }> {
  const { folders, diagnostics } = await source.scan();
  const left = diagnostics.filter(({ severity }) => severity !== 'info');
  const remarks = left
    .slice(0, SHOWN_REMARKS)
    .map(({ path, message, fix = '' }) => `${path}: ${message} ${fix}`);
  const more = left.length - remarks.length;
  if (more > 0) remarks.push(`${counted(more, 'more remark')}: skillgate validate prints them.`);
  return { skills: folders.length, remarks };
}

function toSourceEntry(
  locations: readonly string[],
  options: AddOptions,
  folder: string,
  environment: ProcessEnvironment,
): SourceEntry {
  const { name, ref, folder: below, tokenEnv, allowPrivate, header, env } = options;
  const [location] = locations;
  if (options.mcpCommand === undefined && (locations.length !== 1) === (options.mcpUrl === undefined))
    throw new CliError(
      'USAGE',
      'sources add takes one location (a URL or a path), or --mcp-url URL, or --mcp-command PROGRAM -- ARGS….',
    );
  const { kind, ...rest } =
    options.mcpCommand !== undefined
      ? { kind: 'mcp', command: options.mcpCommand, ...(locations.length === 0 ? {} : { args: locations }) }
      : options.mcpUrl !== undefined
        ? { kind: 'mcp', url: options.mcpUrl }
        : entryFor(location ?? '', options.kind, folder, environment);
  const given = {
    ref,
    folder: below,
    tokenEnv,
    headers: header && pairs('--header', header, ':'),
    env: env && pairs('--env', env, '='),
    allowPrivate,
  };
  // What a location says of itself stays where no option says otherwise.
  return { kind, name, ...rest, ...defined(given) };
}

/** Of `tree/feature/new-ui/skills` only the remote knows which part is the branch. It is asked unless an option says so. */
async function withRemoteRef(
  entry: SourceEntry,
  location: string,
  { options, environment: { env } }: { options: AddOptions; environment: ProcessEnvironment },
): Promise<SourceEntry> {
  const { url, refPath } = (entry.kind === 'git' && gitAddress(location)) || {};
  if (url === undefined || refPath === undefined || options.ref !== undefined || !options.fetch) return entry;
  const token = options.tokenEnv === undefined ? undefined : env[options.tokenEnv];
  const { splitRef } = await import('../git/source.ts');
  const { FetchError } = await import('../fetched/fetch-error.ts');
  const parts = await splitRef({ url, token, env }, refPath).catch((error: unknown) => {
    if (error instanceof FetchError)
      throw new CliError('FAILED', `${url} cannot be listed. ${error.message}`);
    throw error;
  });
  if (parts === null)
    throw new CliError(
      'FAILED',
      `No branch or tag of ${url} begins ${JSON.stringify(refPath)}. Name both parts: --ref BRANCH --folder PATH.`,
    );
  const { ref: _, folder: __, ...rest } = entry;
  return { ...rest, ...parts, ...(options.folder && { folder: options.folder }) };
}

/** Writes the change into the audit log that the file configures. */
async function audited(file: string, environment: ProcessEnvironment, action: string): Promise<void> {
  const { config } = await configuredBy({ config: file }, environment);
  const hash = hashBytes(Buffer.from(readConfigFile(file)));
  await withAudit(config, async (audit) => audit?.event({ event: 'config', action, file, config: hash }));
}

/** Matches the names of headers and variables that hold secrets. */
const SECRET = /(auth|token|key|secret|cookie|passw|credential)/i;

function pairs(flag: string, given: readonly string[], separator: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw new CliError('USAGE', `${flag} takes NAME${separator}VALUE.`);
      const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      if (SECRET.test(name) && findReferences(value).length === 0)
        throw new CliError(
          'USAGE',
          `${flag} ${name} looks like a secret, and the file must hold none. Give the name of a variable in braces, in single quotes: '${name}${separator} \${MY_TOKEN}'.`,
        );
      return [name, value];
    }),
  );
}

function defaultEntries(
  folder: string,
  environment: ProcessEnvironment,
): { kind: 'local'; name: string; root: string }[] {
  const existing = defaultRoots(environment).filter(
    ({ root, within }) => existsSync(root) && (within === undefined || !leadsOutside(within, root)),
  );
  return existing.map(({ name, root }) => {
    const below = relative(folder, root).replaceAll('\\', '/');
    const fromHome = relative(environment.home, root).replaceAll('\\', '/');
    if (!below.startsWith('..')) return { kind: 'local', name, root: `./${below}` };
    return { kind: 'local', name, root: fromHome.startsWith('..') ? root : `~/${fromHome}` };
  });
}

/** The file that is edited. A project's own is edited where it is trusted: an edit by its user trusts the result. */
async function editable(options: CommonOptions, environment: ProcessEnvironment) {
  const named = options.config || environment.env.SKILLGATE_CONFIG || undefined;
  if (named !== undefined) return namedFile(named, environment);
  const refuse = (reason: string) => {
    throw new CliError('USAGE', reason);
  };
  const found = projectFile(environment, refuse);
  if (found === null) return null;
  const project = examineProject(found, environment);
  if (project.parts.length === 0 || project.state === 'trusted') return found;
  if ((await trustAsked(project)) === true) return found;
  throw new CliError('USAGE', `${found.file} is not trusted. To see and trust it: skillgate trust.`);
}

/** Trusts what was written, whatever the file holds by now. */
function keepTrust(written: FoundFile, { config }: CommonOptions, environment: ProcessEnvironment): void {
  if (config || environment.env.SKILLGATE_CONFIG) return;
  trustProject(examineProject(written, environment), environment);
}

export async function remove(name: string, options: CommonOptions): Promise<void> {
  const environment = processEnvironment();
  if (options.frozen === true) throw new CliError('USAGE', '--frozen removes no source. Leave it out.');
  const found = await editable(options, environment);
  if (found === null)
    throw new CliError('USAGE', 'There is no skillgate.config.json or .yaml here to remove a source from.');
  const { file, text } = found;
  const { sources } = await configuredBy({ config: file }, { ...environment, env: {} });
  const names = sources.map((known) => known.name);
  const at = names.indexOf(name);
  const source = sources[at]?.source;
  if (source === undefined) throw unknownSource(name, names);
  const after = withoutSource(text, file.endsWith('.json'), at, sources.length);
  const left = read({ file, text: after }).sources;
  writeWhole(file, after);
  await audited(file, environment, 'sources remove');
  keepTrust({ file, text: after }, options, environment);
  const others = names.filter((other) => other !== name);
  if (writeLock(lockFileBeside(file), [], others)) say(`Wrote ${lockFileBeside(file)}.`);
  rmSync(findFetchFolder(userCacheFolder(environment), file, name, source), { recursive: true, force: true });
  if (options.json === true) printReport({ file, removed: name });
  else print(`Removed ${name} (${source.kind} ${locationText(source)}) from ${file}.`);
  if (left.length === 0) say('No source is left. The default folders of agents are used again.');
}
