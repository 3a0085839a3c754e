/** `skillgate connect`: shows what changes in the settings of hosts, asks, and writes it. */

import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { isFolderInside } from '../../../src/app/config/find.ts';
import { processEnvironment } from '../../../src/app/configured.ts';
import { packageRoot } from '../../../src/app/package-root.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { suggestion } from '../../../src/base/text.ts';
import { coloured, formatDiff } from '../../../src/cli/diff.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { colours, confirmed, print, printReport, printText, say } from '../../../src/cli/output.ts';
import { isInside } from '../../../src/sources/scan/real-path.ts';
import { foldersReadBy } from '../../../src/sources/scan/roots.ts';
import { type Host, measuredVersion } from '../host.ts';
import { namesOfSkills } from '../host-lists.ts';
import { findHost, HOSTS } from '../hosts.ts';
import { installedHosts } from '../installed.ts';
import { hintCommand, toLaunch } from '../launch.ts';
import { type Scope, type System, toSystem } from '../locations.ts';
import { backupFile, type FileChange, findHookCommand, planConnect, planRemove } from '../plan.ts';
import { applyChange, checkWritable, ignoreBackups } from '../write.ts';

export interface ConnectOptions {
  readonly scope: Scope;
  readonly print?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
  readonly keepSkills?: boolean;
  /** Switches the host's own list off where it would stay on. */
  readonly hideSkills?: boolean;
  /** Lets the host call skillgate without asking. */
  readonly allow?: boolean;
  /** Adds a prompt hook that runs `skillgate hint`. */
  readonly hook?: boolean;
  readonly skills?: readonly string[];
  readonly config?: string;
  readonly json?: boolean;
}

/** Lines around a change that a diff shows. Few, since settings of hosts hold secrets. */
const CONTEXT = 2;

/** What became of a host, as printed with --json. */
interface Outcome {
  readonly host: string;
  readonly state: 'written' | 'unchanged' | 'printed' | 'unconfirmed' | 'failed';
  readonly files: readonly { readonly file: string; readonly diff: string }[];
  readonly message?: string;
}

export async function connect(id: string | undefined, options: ConnectOptions): Promise<void> {
  const hosts = id === undefined ? chooseHosts(options) : [named(id)];
  const outcomes: Outcome[] = [];
  for (const host of hosts) {
    try {
      outcomes.push(await change(host, options));
    } catch (error) {
      // With one host the error ends the command; with several the others are still asked about.
      if (id !== undefined) throw error;
      say(`${colours.red(`${host.name}:`)} ${errorMessage(error)}`);
      outcomes.push({ host: host.id, state: 'failed', files: [], message: errorMessage(error) });
    }
  }
  const isAny = (wanted: Outcome['state']) => outcomes.some(({ state }) => state === wanted);
  if (options.json === true) printReport({ hosts: outcomes });
  else if (outcomes.length === 0) print('No host is connected.');
  else if (outcomes.length > 1) for (const { host, state } of outcomes) print(`${host}: ${STATES[state]}`);
  if (isAny('written') && options.json !== true && options.remove !== true) print(LEARNING);
  if (isAny('unconfirmed')) {
    say('Nothing was written: there is no terminal to ask on. --yes writes without asking.');
    process.exitCode = EXIT.unconfirmed;
  } else if (isAny('failed')) process.exitCode = EXIT.failed;
}

const STATES: Readonly<Record<Outcome['state'], string>> = {
  written: 'written',
  unchanged: 'nothing to write, or declined',
  printed: 'printed, not written',
  unconfirmed: 'not written: no terminal to ask on',
  failed: 'not written: see above',
};

function named(id: string): Host {
  const host = findHost(id);
  if (host !== undefined) return host;
  const ids = HOSTS.map((known) => known.id);
  throw new CliError('USAGE', `There is no host ${id}.${suggestion(id, ids)} Hosts: ${ids.join(', ')}.`);
}

/** The hosts that are installed; to remove skillgate those that have it, since its own files mark no host as installed. */
function chooseHosts({ scope, remove = false }: ConnectOptions): readonly Host[] {
  const system = toSystem(processEnvironment());
  const candidates = remove
    ? HOSTS.filter((host) => mayBeConnected(host, scope, system))
    : installedHosts(system).filter(({ files }) => files[scope] !== undefined);
  if (remove || candidates.length > 0) return candidates;
  const ids = HOSTS.map(({ id }) => id).join(', ');
  throw new CliError(
    'NOT_FOUND',
    `No host was found on this machine. Name one: skillgate connect HOST, with one of ${ids}.`,
  );
}

/** A file that cannot be read may have skillgate: the host is taken, and the error reported. */
function mayBeConnected(host: Host, scope: Scope, system: System): boolean {
  if (host.files[scope] === undefined) return false;
  try {
    return planRemove(host, scope, system).length > 0;
  } catch {
    return true;
  }
}

async function change(host: Host, options: ConnectOptions): Promise<Outcome> {
  const { scope, remove = false, hook = false, allow = false } = options;
  const hide = hidesList(host, options);
  const environment = processEnvironment();
  const system = toSystem(environment);
  const program = { root: packageRoot(), node: process.execPath };
  const launch = toLaunch(program, serverOptions(options), system, scope);
  const command = hook && !remove ? hintCommand(program, serverOptions(options), system, scope) : undefined;
  const planned = remove
    ? planRemove(host, scope, system)
    : planConnect(host, scope, system, {
        launch,
        hide,
        names: host.hide?.setting.isNames === true && hide ? await namesOfSkills(host, environment) : [],
        allow,
        hook: command,
      });
  const quiet = options.json === true;
  for (const note of planned.flatMap(({ notes }) => notes)) say(note);
  if (command !== undefined && host.hook === undefined)
    say(`${host.name} has no prompt hook that can add to a prompt, so --hook changes nothing there.`);
  if (!remove)
    for (const line of [...aboutList(host, options, system), ...aboutAllow(host, options)]) say(line);
  if (!remove && measuredVersion(host) === null)
    say(`${host.name}: by its documents (${host.source}), not tried in the program.`);
  const offer = quiet || remove || hook ? null : describeOffer(host, scope, system);
  const changes = planned.filter(({ before, after }) => before !== after);
  if (scope === 'project') refuseOutside(changes, system);
  const files = changes.map((each) => ({ file: each.file, diff: formatDiff(each, CONTEXT) }));
  if (changes.length === 0) {
    if (!quiet) print(`${host.name} ${remove ? 'is not connected' : 'is connected already'}.`);
    if (offer !== null) print(offer);
    return { host: host.id, state: 'unchanged', files };
  }
  if (!quiet) {
    print(colours.bold(host.name));
    for (const { diff } of files) printText(coloured(diff));
    if (!remove && scope === 'project' && launch.command !== 'npx')
      say('The command names paths of this machine. Others who use this project connect for themselves.');
  }
  if (offer !== null) print(offer);
  if (options.print === true) return { host: host.id, state: 'printed', files };
  checkWritable(changes);
  if (options.yes !== true) {
    const answer = await confirmed(`Write this for ${host.name}?`);
    if (answer === null) return { host: host.id, state: 'unconfirmed', files };
    if (!answer) return { host: host.id, state: 'unchanged', files };
  }
  for (const each of changes) applyChange(each, !remove);
  if (scope === 'project' && !remove) ignoreBackups(system.project);
  if (!quiet) for (const each of changes) print(written(each, remove));
  if (!quiet)
    print(
      `Restart ${host.name}, or reload its MCP servers.${remove ? '' : ' skillgate doctor checks the connection.'}`,
    );
  if (command !== undefined && host.hook?.remark !== undefined) say(host.hook.remark);
  return { host: host.id, state: 'written', files };
}

/** Throws for a file that a link leads out of the project. */
function refuseOutside(changes: readonly FileChange[], { project, home }: System): void {
  const root = realpathSync(project);
  const outside = changes.find(({ file }) => !isFolderInside(root, file, home));
  if (outside !== undefined)
    throw new CliError(
      'USAGE',
      `${outside.file} leads out of the project: replace the link, or use --scope user.`,
    );
}

const LEARNING =
  'With "learn": true in skillgate.config.json, search learns which skills agents load for which requests; it keeps both, without secrets, next to the index on this machine.';

/** Whether the host's own list of skills is switched off. */
const hidesList = ({ hide }: Host, { keepSkills = false, hideSkills = false }: ConnectOptions) =>
  hideSkills || (!keepSkills && hide?.reservation === undefined);

/** What `--allow` means, and where headless runs need it. */
function aboutAllow({ name, allow, id }: Host, options: ConnectOptions): readonly string[] {
  if (options.allow === true && allow === undefined)
    return [`${name} has no such setting, or needs none, so --allow changes nothing there.`];
  if (allow === undefined) return [];
  const what =
    'inEntry' in allow ? 'trust' : `${allow.setting.path.join('.')} ${String(allow.setting.value)}`;
  return [
    options.allow === true
      ? `${what} lets ${name} call every tool of skillgate without asking, also in headless runs. They only read skills, unless you enable scripts.`
      : `In headless runs ${name} refuses skillgate's tools. skillgate connect ${id} --allow lets it call them without asking.`,
  ];
}

/** What it means that the host's own list is switched off, and which of its skills skillgate would not find then. */
function aboutList(host: Host, options: ConnectOptions, system: System): readonly string[] {
  const { skills, config, scope } = options;
  if (host.hide === undefined || (host.hide.files ?? host.files)[scope] === undefined) return [];
  const { setting, reservation } = host.hide;
  if (!hidesList(host, options))
    return reservation === undefined || options.keepSkills === true
      ? []
      : [`${host.name}'s own list of skills stays on: ${reservation} --hide-skills switches it off.`];
  const value = setting.append === true ? ` ${String(setting.value)}` : '';
  const reminder = setting.isNames === true ? ' It names each skill: connect again after you add one.' : '';
  const meaning = `${setting.path.join('.')}${value} switches ${host.name}'s own list of skills off: skillgate finds and loads them instead. --keep-skills leaves the list on; skillgate connect ${host.id} --remove undoes this.${reminder}`;
  if (skills === undefined && config === undefined) return [meaning];
  const { home, project, env } = system;
  const unseen = foldersReadBy(host.id, { home, cwd: project, env }).filter(
    (folder) => existsSync(folder) && !(skills ?? []).some((named) => isInside(resolve(named), folder)),
  );
  return unseen.length === 0
    ? [meaning]
    : [
        meaning,
        `skillgate does not search the skills in ${unseen.join(', ')}, unless a folder that you named contains them.`,
      ];
}

/** What `--hook` does, for hosts that could have the hook and have it not. */
function describeOffer(host: Host, scope: Scope, system: ReturnType<typeof toSystem>): string | null {
  if (host.hook === undefined || findHookCommand(host, scope, system) !== null) return null;
  return `With --hook, ${host.name} also runs skillgate hint on each prompt, which adds one line with the skills that may fit, or nothing.`;
}

/** Throws `NOT_FOUND` for what is not there: the host would start a server that ends at once. */
function serverOptions({ skills = [], config, remove = false }: ConnectOptions): readonly string[] {
  const missing = [...skills, ...(config === undefined ? [] : [config])].find((path) => !existsSync(path));
  if (missing !== undefined && !remove)
    throw new CliError('NOT_FOUND', `${resolve(missing)} does not exist, so no host was connected to it.`);
  const folders = skills.flatMap((folder) => ['--skills', resolve(folder)]);
  return config === undefined ? folders : [...folders, '--config', resolve(config)];
}

function written({ file, before, after }: FileChange, remove: boolean): string {
  if (after === null) return `Removed ${file}.`;
  return `Wrote ${file}${remove || before === null ? '' : ` (as it was: ${backupFile(file)})`}.`;
}
