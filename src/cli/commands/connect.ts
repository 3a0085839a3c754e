/** `skillgate connect`: shows what changes in the settings of hosts, asks, and writes it. */

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInsideOf } from '../../app/config/find.ts';
import { suggestion } from '../../app/config/problems.ts';
import { packageRoot } from '../../app/package-root.ts';
import { processEnvironment } from '../../app/settings.ts';
import { messageOf } from '../../base/errors.ts';
import { installedHosts } from '../../hosts/detect.ts';
import { HOSTS, type Host, hostOf } from '../../hosts/hosts.ts';
import { hintCommandOf, launchOf } from '../../hosts/launch.ts';
import type { Scope } from '../../hosts/locations.ts';
import { backupOf, type FileChange, hasHook, planConnect, planRemove } from '../../hosts/plan.ts';
import { systemOf } from '../../hosts/system.ts';
import { applyChange, checkWritable } from '../../hosts/write.ts';
import { coloured, diffOf } from '../diff.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { colours, confirmed, print, printReport, say } from '../output.ts';

export interface ConnectOptions {
  readonly scope: Scope;
  readonly print?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
  readonly keepSkills?: boolean;
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
  const hosts = id === undefined ? found(options.scope) : [named(id)];
  const outcomes: Outcome[] = [];
  for (const host of hosts) {
    try {
      outcomes.push(await change(host, options));
    } catch (error) {
      // With one host the error ends the command; with several the others are still asked about.
      if (id !== undefined) throw error;
      say(`${colours.red(`${host.name}:`)} ${messageOf(error)}`);
      outcomes.push({ host: host.id, state: 'failed', files: [], message: messageOf(error) });
    }
  }
  if (options.json === true) printReport({ hosts: outcomes });
  if (outcomes.some(({ state }) => state === 'failed')) process.exitCode = EXIT.failed;
  else if (outcomes.some(({ state }) => state === 'unconfirmed')) {
    say('Nothing was written, because nobody could be asked. --yes writes without asking.');
    process.exitCode = EXIT.unconfirmed;
  }
}

function named(id: string): Host {
  const host = hostOf(id);
  if (host !== undefined) return host;
  const ids = HOSTS.map((known) => known.id);
  throw new CliError('USAGE', `There is no host ${id}.${suggestion(id, ids)} Hosts: ${ids.join(', ')}.`);
}

function found(scope: Scope): readonly Host[] {
  const installed = installedHosts(systemOf(processEnvironment())).filter(
    ({ files }) => files[scope] !== undefined,
  );
  if (installed.length > 0) return installed;
  const ids = HOSTS.map(({ id }) => id).join(', ');
  throw new CliError(
    'NOT_FOUND',
    `No host was found on this machine. Name one: skillgate connect HOST, with one of ${ids}.`,
  );
}

async function change(host: Host, options: ConnectOptions): Promise<Outcome> {
  const { scope, remove = false, keepSkills = false, hook = false } = options;
  const system = systemOf(processEnvironment());
  const program = { root: packageRoot(), node: process.execPath };
  const launch = launchOf(program, serverOptions(options), system, scope);
  const command = hook && !remove ? hintCommandOf(program, serverOptions(options), system, scope) : undefined;
  const planned = remove
    ? planRemove(host, scope, system)
    : planConnect(host, scope, system, { launch, hide: !keepSkills, hook: command });
  const quiet = options.json === true;
  for (const note of planned.flatMap(({ notes }) => notes)) say(note);
  if (command !== undefined && host.hook === undefined)
    say(`${host.name} has no prompt hook that can add to a prompt, so --hook changes nothing there.`);
  const offer = quiet || remove || hook ? null : offerOf(host, scope, system);
  const changes = planned.filter(({ before, after }) => before !== after);
  const isOutside = ({ file }: FileChange) => !isInsideOf(realpathSync(system.project), file, system.home);
  const outside = scope === 'project' ? changes.find(isOutside) : undefined;
  if (outside !== undefined)
    throw new CliError(
      'USAGE',
      `${outside.file} leads out of the project: replace the link, or use --scope user.`,
    );
  const files = changes.map((each) => ({ file: each.file, diff: diffOf(each, CONTEXT) }));
  if (changes.length === 0) {
    if (!quiet) print(`${host.name} ${remove ? 'is not connected' : 'is connected already'}.`);
    if (offer !== null) print(offer);
    return { host: host.id, state: 'unchanged', files };
  }
  if (!quiet) {
    print(colours.bold(host.name));
    for (const { diff } of files) print(coloured(diff));
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
  if (!quiet) for (const each of changes) print(written(each, remove));
  if (!quiet)
    print(
      `Restart ${host.name}, or reload its MCP servers.${remove ? '' : ' skillgate doctor checks the connection.'}`,
    );
  if (command !== undefined && host.hook?.remark !== undefined) say(host.hook.remark);
  if (!quiet && !remove) print(LEARNING);
  return { host: host.id, state: 'written', files };
}

const LEARNING =
  'With "learn": true in skillgate.config.json, search learns which skills agents load for which requests; it keeps both, without secrets, next to the index on this machine.';

/** What `--hook` does, for hosts that could have the hook and have it not. */
function offerOf(host: Host, scope: Scope, system: ReturnType<typeof systemOf>): string | null {
  try {
    if (host.hook === undefined || hasHook(host, scope, system)) return null;
  } catch {
    // What stands in a file that cannot be read is unknown. --hook reports it.
    return null;
  }
  return `With --hook, ${host.name} also runs skillgate hint on each prompt, which adds one line with the skills that may fit, or nothing.`;
}

function serverOptions({ skills = [], config }: ConnectOptions): readonly string[] {
  const folders = skills.flatMap((folder) => ['--skills', resolve(folder)]);
  return config === undefined ? folders : [...folders, '--config', resolve(config)];
}

function written({ file, before, after }: FileChange, remove: boolean): string {
  if (after === null) return `Removed ${file}.`;
  return `Wrote ${file}${remove || before === null ? '' : ` (as it was: ${backupOf(file)})`}.`;
}
