/** The commands with which a host starts this very program: they work on this machine, whether or not it is published. */

import { AppError } from '../../src/app/app-error.ts';
import { type Platform, platformPaths, type Scope, type System } from './locations.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command of an entry, in the shape of any host. */
export function launchIn({ command, cmd, args }: Readonly<Record<string, unknown>>): Launch {
  const words = [command ?? cmd, args].flat().filter((word) => typeof word === 'string');
  return { command: words[0] ?? '', args: words.slice(1) };
}

/** The launch with the options of an earlier one that it does not have itself. */
export function withOldOptions({ command, args }: Launch, old: Launch): Launch {
  const options = optionsIn(old.args).filter(([name = '']) => !args.includes(name));
  return { command, args: [...args, ...options.flat()] };
}

/** What follows `serve`, each option with its values. */
function optionsIn(args: readonly string[]): readonly (readonly string[])[] {
  const options: string[][] = [];
  const start = args.indexOf('serve');
  for (const word of start === -1 ? [] : args.slice(start + 1))
    if (word.startsWith('-')) options.push([word]);
    else options.at(-1)?.push(word);
  return options;
}

/** What is known of the running program. */
export interface Program {
  /** The package's folder, absolute. */
  readonly root: string;
  /** The Node.js that runs it, absolute. */
  readonly node: string;
}

/** Started by npx, it is started by npx again; from a checkout or an installation, by its path. */
export function toLaunch(
  { root, node }: Program,
  options: readonly string[],
  system: System,
  scope: Scope,
): Launch {
  const args = ['serve', ...options];
  if (!isFromNpx(root)) return { command: node, args: [programIn(root, system), ...args] };
  const [command = '', ...rest] = [...viaNpx(system, scope), ...args];
  // On Windows npx is a script, which programs start only through cmd.
  return system.platform === 'win32'
    ? { command: 'cmd', args: ['/c', command, ...rest] }
    : { command, args: rest };
}

/** The command of a prompt hook, as one line for the shell of the host. Throws `SETTING_INVALID` for paths that no shell keeps. */
export function hintCommand(
  { root, node }: Program,
  options: readonly string[],
  system: System,
  scope: Scope,
): string {
  const { platform } = system;
  // Bash, PowerShell and cmd all start a bare name; PowerShell takes a name in quotes for a text.
  const start = isFromNpx(root)
    ? viaNpx(system, scope)
    : [platform === 'win32' ? 'node' : node, programIn(root, system)];
  return [...start, 'hint', ...options].map((word) => quoted(word, platform)).join(' ');
}

/** Whether a command of a shell is one of `hintCommand`, or starts an installed skillgate for the same purpose. */
export const isHintCommand = (command: string): boolean =>
  /(?:^|[\s\\/])skillgate(?:\.cjs)?["']? hint(?: |$)/.test(command);

const programIn = (root: string, system: System) => platformPaths(system).join(root, 'dist', 'skillgate.cjs');

/**
 * Hosts start npx in the folder of the open project, whose `node_modules` and `.npmrc` would decide which program runs: in the
 * user's settings it starts from home. Settings of a project are shared, and name no folder of a user.
 */
const viaNpx = ({ home }: System, scope: Scope): readonly string[] => [
  'npx',
  ...(scope === 'user' ? ['--prefix', home] : []),
  '-y',
  'skillgate',
];

const isFromNpx = (root: string) => /[\\/]_npx[\\/]/.test(root);

function quoted(word: string, platform: Platform): string {
  if (platform !== 'win32')
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  // Hosts run hooks in Git Bash, PowerShell or cmd: all three read slashes and double quotes alike.
  const path = word.replaceAll('\\', '/');
  if (/^[\w@+=:,./-]+$/.test(path)) return path;
  if (!/["$`%!]/.test(path)) return `"${path}"`;
  throw new AppError(
    'SETTING_INVALID',
    `${word} cannot be part of a prompt hook: shells on Windows read ", $, \`, % and ! in it differently. Rename it, or connect without --hook.`,
  );
}
