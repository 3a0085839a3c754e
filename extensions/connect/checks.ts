/** The checks of `skillgate doctor` about hosts: whether each connection starts, and what the host's own list of skills does. */

import { existsSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Check } from '../../src/app/extension-api.ts';
import { packageRoot } from '../../src/app/package-root.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { count, counted } from '../../src/base/text.ts';
import { estimateTokens } from '../../src/gateway/tokens.ts';
import { UpstreamConnection } from '../remote-sources/upstream/connection.ts';
import type { Host } from './host.ts';
import { type HostList, hostLists } from './host-lists.ts';
import { HOSTS } from './hosts.ts';
import { installedHosts } from './installed.ts';
import { type Launch, launchIn } from './launch.ts';
import type { Scope, System } from './locations.ts';
import { type Connection, findConnection, findHookCommand } from './plan.ts';

/** Names in one line of the report. */
const SHOWN_NAMES = 6;
/** Longest wait for a server's tools, ms, and where npx may have to download it first. */
const START_MS = 10_000;
const NPX_START_MS = 60_000;

/** How a server answered when it was started. */
interface Started {
  readonly tools: readonly string[];
  /** Tokens of its instructions and tools in every prompt, estimated. */
  readonly tokens: number;
  readonly ms: number;
}

export const check = (
  name: Check['name'],
  state: Check['state'],
  message: string,
  ...details: readonly string[]
): Check => ({ name, state, message, ...(details.length > 0 && { details }) });

export async function examineHosts(
  environment: ProcessEnvironment,
  system: System,
  progress: (message: string) => void,
): Promise<readonly Check[]> {
  const found: { readonly connection: Connection; readonly started: Started | Error }[] = [];
  const checks: Check[] = [];
  const all = HOSTS.flatMap((host) => (['user', 'project'] as const).map((scope) => ({ host, scope })));
  for (const { host, scope } of all) {
    const connection = connected(host, scope, system);
    if (connection === null) continue;
    if (connection instanceof Error) {
      checks.push(unreadable(host, scope, connection));
      continue;
    }
    // In the home folder the files of both scopes may be one.
    if (found.some((other) => other.connection.file === connection.file)) continue;
    if (scope === 'project' && !isThisProgram(connection.entry)) {
      checks.push(notStarted(host));
      continue;
    }
    progress(`Starting the server of ${host.name} …`);
    const cwd = scopeFolder(scope, system);
    const launch = launchIn(connection.entry);
    const missing = missingIn(launch, cwd, environment);
    const started = missing === null ? await start(launch, cwd, environment) : new Error(missing);
    checks.push(connectionCheck(host, scope, started));
    found.push({ connection, started });
  }
  for (const { host, scope } of all) checks.push(...hookChecks(host, scope, system, environment));
  const installed = installedHosts(system);
  const others = installed.filter(({ id }) => !found.some(({ connection }) => connection.host.id === id));
  if (others.length > 0)
    checks.push(
      check(
        'host',
        'note',
        `Not connected: ${others.map(({ name }) => name).join(', ')}.`,
        ...others.map(({ id }) => `skillgate connect ${id}`),
      ),
    );
  const lists = await hostLists(environment, system);
  if (lists.length === 0) return checks;
  const own =
    found.map(({ started }) => started).find((started) => !(started instanceof Error)) ??
    (await start(THIS_PROGRAM, system.project, environment));
  const tokens = own instanceof Error ? null : own.tokens;
  return [...checks, ...lists.map((list) => listingCheck(list, tokens))];
}

/** A file that cannot be read is an `Error`. */
function connected(host: Host, scope: Scope, system: System): Connection | Error | null {
  try {
    return findConnection(host, scope, system);
  } catch (error) {
    return error instanceof Error ? error : new Error(errorMessage(error));
  }
}

const unreadable = (host: Host, scope: Scope, { message }: Error) =>
  check(
    'host',
    'problem',
    `The settings of ${host.name} (${scope}) cannot be read: ${message}`,
    'Correct the file by hand: connect changes no file that it cannot read.',
  );

/** What a connection names and this machine does not have, as one sentence; null where all is there. */
function missingIn({ command, args }: Launch, cwd: string, { env }: ProcessEnvironment): string | null {
  if (command === '') return 'its entry names no command.';
  const isThere = (path: string) => existsSync(resolve(cwd, path));
  const places = /[\\/]/.test(command)
    ? [command]
    : (env.PATH ?? '')
        .split(delimiter)
        .flatMap((folder) => SUFFIXES.map((suffix) => join(folder, command + suffix)));
  if (!places.some(isThere)) return `its program is missing: ${command}.`;
  const [program = ''] = args;
  if (isAbsolute(program) && !isThere(program))
    return `its program is missing: ${program}. The checkout or installation was moved or removed.`;
  for (const [at, option] of args.entries()) {
    const value = args[at + 1];
    if (NAMING.has(option) && value !== undefined && !isThere(value))
      return `${option} names ${value}, which does not exist.`;
  }
  return null;
}

const SUFFIXES = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
/** Options of \`serve\` that name what must be there. */
const NAMING = new Set(['--skills', '--config']);

/** Prompt hooks whose program is not there: the host reports nothing, and the hook says nothing. */
function hookChecks(host: Host, scope: Scope, system: System, environment: ProcessEnvironment): Check[] {
  const command = findHookCommand(host, scope, system);
  if (command === null) return [];
  const words = (command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^['"]|['"]$/g, ''));
  const missing = missingIn(
    { command: words[0] ?? '', args: words.slice(1) },
    scopeFolder(scope, system),
    environment,
  );
  if (missing === null) return [];
  const message = `The prompt hook of ${host.name} (${scope}) cannot run: ${missing}`;
  return [check('hook', 'problem', message, `${connectLine(host, scope)} --hook ${WRITES}`)];
}

const connectLine = (host: Host, scope: Scope) => `skillgate connect ${host.id} --scope ${scope}`;
const WRITES = 'writes the command that works here.';

function connectionCheck(host: Host, scope: Scope, started: Started | Error): Check {
  const where = `${host.name} (${scope})`;
  if (started instanceof Error) {
    const message = `${where} cannot start skillgate: ${started.message}`;
    return check('host', 'problem', message, `${connectLine(host, scope)} ${WRITES}`);
  }
  const tools = counted(started.tools.length, 'tool');
  const message = `${where} starts skillgate: ${tools} after ${started.ms} ms.`;
  return check('host', 'ok', message, started.tools.join(', '));
}

/** By its path: in a project, npx would run what that project names so. */
const THIS_PROGRAM: Launch = {
  command: process.execPath,
  args: [join(packageRoot(), 'dist', 'skillgate.cjs'), 'serve'],
};

/** What a project names may be any program: only this one, without options, is started. */
const isThisProgram = (entry: Readonly<Record<string, unknown>>) =>
  isDeepStrictEqual(launchIn(entry), THIS_PROGRAM);

const notStarted = (host: Host) =>
  check(
    'host',
    'note',
    `${host.name} (project) is not started: the project names another command than that of this program.`,
    `${connectLine(host, 'project')} ${WRITES}`,
  );

const scopeFolder = (scope: Scope, { home, project }: System) => (scope === 'user' ? home : project);

/** Starts a server as a host does: spawns it, says hello and asks for its tools. */
async function start(
  { command, args }: Launch,
  cwd: string,
  { env }: ProcessEnvironment,
): Promise<Started | Error> {
  const variables = Object.entries(env).filter(([name]) => /^(SKILLGATE_|XDG_)/.test(name));
  const given = Object.fromEntries(variables.map(([name, value]) => [name, value ?? '']));
  const connection = new UpstreamConnection({
    address: { kind: 'program', command, args, env: given, cwd },
    fetch: () => Promise.reject(new Error('A program needs no network.')),
  });
  const began = performance.now();
  try {
    return await connection.use(
      async (client) => {
        const { tools } = await client.listTools();
        const ms = Math.round(performance.now() - began);
        const declared = tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchema,
        }));
        const tokens =
          estimateTokens(client.getInstructions() ?? '') + estimateTokens(JSON.stringify(declared));
        return { tools: tools.map(({ name }) => name), tokens, ms };
      },
      {
        signal: AbortSignal.timeout(/^npx|^cmd$/.test(basename(command)) ? NPX_START_MS : START_MS),
        timeoutBreaks: true,
      },
    );
  } catch (error) {
    return error instanceof Error ? error : new Error(errorMessage(error));
  } finally {
    await connection.close();
  }
}

function listingCheck({ host, report, model, isHidden }: HostList, tokens: number | null): Check {
  const { skills, withoutDescription, omitted, refused, shortenedTo } = report;
  const { source } = host;
  const { limit } = host.listing;
  const losses = [
    refused.length > 0 ? `does not load ${counted(refused.length, 'skill')}` : '',
    omitted.length > 0 ? `leaves out ${counted(omitted.length, 'skill')}` : '',
    withoutDescription.length > 0
      ? `drops the description of ${counted(withoutDescription.length, 'skill')}`
      : '',
    shortenedTo !== null ? `cuts descriptions to ${counted(shortenedTo, 'character')}` : '',
  ].filter((loss) => loss !== '');
  const lost = losses.length === 0 ? 'shows every description' : losses.join(', ');
  const names = [...refused, ...omitted, ...withoutDescription];
  const more = names.length > SHOWN_NAMES ? `, and ${names.length - SHOWN_NAMES} more` : '';
  return check(
    'listing',
    isHidden || losses.length === 0 ? 'ok' : 'note',
    `${host.name}'s own list of ${counted(skills, 'skill')} ${isHidden ? `is switched off. Switched on, it ${lost}` : lost}.`,
    ...(names.length === 0 ? [] : [`${names.slice(0, SHOWN_NAMES).join(', ')}${more}`]),
    `About ${report.tokens} tokens in every prompt${tokens === null ? '' : `; with skillgate alone ${tokens}`}.`,
    limit === null
      ? `It has no limit: ${source}.`
      : `Its limit is that of ${model.name} (${count(model.windowTokens)} tokens): ${source}.`,
  );
}
