/** The command with which a host starts this very program: one that works on this machine, whether or not it is published. */

import { type Platform, pathsOf, type System } from './locations.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is known of the running program. */
export interface Program {
  /** The package's folder, absolute. */
  readonly root: string;
  /** The Node.js that runs it, absolute. */
  readonly node: string;
}

/** Started by npx, it is started by npx again; from a checkout or an installation, by its path. */
export function launchOf({ root, node }: Program, options: readonly string[], system: System): Launch {
  const { join } = pathsOf(system);
  const args = ['serve', ...options];
  if (/[\\/]_npx[\\/]/.test(root)) return viaNpx(args, system.platform);
  return { command: node, args: [join(root, 'dist', 'skillgate.js'), ...args] };
}

/** On Windows npx is a script, which programs start only through cmd. */
function viaNpx(args: readonly string[], platform: Platform): Launch {
  const npx = ['npx', '-y', 'skillgate', ...args];
  const [command = '', ...rest] = platform === 'win32' ? ['cmd', '/c', ...npx] : npx;
  return { command, args: rest };
}
