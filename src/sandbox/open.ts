/** Which sandbox this machine has: bubblewrap on Linux, tried out before it is relied upon, or a refusal that says why. */

import { execFile } from 'node:child_process';
import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { runConfined } from './bubblewrap.ts';
import { FOLDERS_OF_PROGRAMS, type Host, PROGRAMS_FOLDER } from './confinement.ts';
import { FORWARDER } from './gate.ts';
import { type RunRequest, type RunResult, type Sandbox, SandboxError, type Standing } from './sandbox.ts';
import { type Architecture, REFUSED } from './syscalls.ts';

export interface Machine {
  /** As `process.platform`, `process.arch` and `process.getuid()` say. */
  readonly platform: string;
  readonly architecture: string;
  readonly uid: number;
  /** Folders in which `bwrap` is looked for, as `PATH` lists them. */
  readonly path: string;
  /** Programs that scripts may need and that may lie outside the system's folders, by name: Node.js itself, say. */
  readonly programs: Readonly<Record<string, string>>;
}

/** Nobody, on every Linux: who runs bubblewrap where we are root. */
const NOBODY = 65_534;
const INSTALL =
  'Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch), apk add bubblewrap util-linux (Alpine).';
export const INSTALL_FORWARDER = `${FORWARDER} is not installed, by which a script reaches the domains that it may. Install it: apt-get install ${FORWARDER} (or dnf, pacman -S, apk add).`;
const ALLOW =
  'It needs user namespaces: on the machine itself `sysctl kernel.unprivileged_userns_clone=1` (Debian) or an AppArmor profile for bwrap (Ubuntu 24.04), in a container `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`.';

export function openSandbox(machine: Machine): Sandbox {
  let standing: Promise<Standing> | null = null;
  const bwrap = find('bwrap', machine.path);
  const outside = Object.fromEntries(
    Object.entries(machine.programs).filter(
      // Nobody may be unable to reach a program in root's home.
      ([name, path]) => systemProgram(name) === null && isAbsolute(path) && machine.uid !== 0,
    ),
  );
  const programPath = (name: string) =>
    systemProgram(name) ?? (Object.hasOwn(outside, name) ? `${PROGRAMS_FOLDER}/${name}` : null);

  const confined = async (request: RunRequest): Promise<RunResult> => {
    const program = programPath(request.command);
    if (program === null)
      throw new SandboxError(
        'PROGRAM_MISSING',
        `${request.command} is not installed for the whole machine: a sandbox shows ${FOLDERS_OF_PROGRAMS.join(', ')} and nothing of home folders.`,
      );
    if (bwrap === null) throw new SandboxError('SANDBOX_MISSING', INSTALL);
    if (request.network !== undefined && systemProgram(FORWARDER) === null)
      throw new SandboxError('PROGRAM_MISSING', INSTALL_FORWARDER);
    const used = Object.hasOwn(outside, request.command)
      ? { [request.command]: outside[request.command] ?? '' }
      : {};
    return runConfined(request, program, used, {
      bwrap,
      architecture: machine.architecture as Architecture,
      runAs: machine.uid === 0 ? NOBODY : null,
      host,
    });
  };

  const look = async (): Promise<Standing> => {
    const missing = await missingOf(machine, bwrap);
    if (missing !== null) return { layer: null, holds: [], problems: [missing] };
    const layer = await versionOf(bwrap ?? 'bwrap');
    const fault = await tryOut(confined);
    return fault === null
      ? { layer, holds: HOLDS, problems: [] }
      : { layer: null, holds: [], problems: [`${layer} is there but does not hold: ${fault}`, ALLOW] };
  };

  const sandbox: Sandbox = {
    async standing() {
      standing ??= look();
      const found = await standing;
      // What was missing may be installed by the next time.
      if (found.layer === null) standing = null;
      return found;
    },
    programPath,
    async run(request) {
      const { layer, problems } = await sandbox.standing();
      if (layer === null) throw new SandboxError('SANDBOX_MISSING', problems.join(' '));
      return confined(request);
    },
  };
  return sandbox;
}

const HOLDS: readonly string[] = [
  'namespaces of its own for users, processes, mounts, network (no interface but its own loopback), IPC, host name and cgroups',
  'user nobody without capabilities, and no way to gain any',
  `a filter of system calls (${REFUSED.length} refused; no new namespaces; no sockets but Unix ones, and TCP within the sandbox for scripts that may reach domains)`,
  'read-only system and skill; one writable file system in memory, of fixed size',
  'kernel limits of each process; memory, processor time and files of all together watched every 40 ms',
];

async function missingOf(machine: Machine, bwrap: string | null): Promise<string | null> {
  if (machine.platform !== 'linux')
    return `Scripts can be run on Linux only, where bubblewrap holds them in; this is ${machine.platform}.`;
  if (machine.architecture !== 'x64' && machine.architecture !== 'arm64')
    return `Scripts can be run on x64 and arm64 only, whose system calls are filtered; this is ${machine.architecture}.`;
  if (bwrap === null) return `bubblewrap is not installed. ${INSTALL}`;
  const tool = ['prlimit', 'sh'].find((name) => systemProgram(name) === null);
  return tool === undefined ? null : `${tool} is missing (package util-linux). Install it.`;
}

const run = promisify(execFile);

async function versionOf(bwrap: string): Promise<string> {
  const { stdout } = await run(bwrap, ['--version']).catch(() => ({ stdout: 'bubblewrap' }));
  return stdout.trim();
}

/** Prints what the kernel says of this process, and leaves a file to be read back. */
const TRIAL = 'cat /proc/self/status /proc/net/route; echo kept >kept; touch /usr/kept && echo writable';

/** Null where everything holds that is promised, else what does not. */
async function tryOut(confined: (request: RunRequest) => Promise<RunResult>): Promise<string | null> {
  const limits = {
    wallMs: 10_000,
    cpuMs: 10_000,
    memoryBytes: 256 * 2 ** 20,
    processes: 8,
    fileBytes: 2 ** 20,
    workBytes: 2 ** 20,
    outputBytes: 64 * 2 ** 10,
  };
  try {
    const { stdout, files } = await confined({
      command: 'sh',
      args: ['-c', TRIAL],
      readOnly: [],
      work: [],
      stdin: new Uint8Array(),
      env: {},
      limits,
      keep: { files: 1, bytes: 100 },
    });
    const said = Buffer.from(stdout).toString('utf8');
    const faults = [
      /^NoNewPrivs:\s+1$/m.test(said) ? '' : 'programs may gain rights in it',
      /^CapEff:\s+0+$/m.test(said) && /^CapBnd:\s+0+$/m.test(said) ? '' : 'it leaves capabilities',
      /^Seccomp:\s+2$/m.test(said) ? '' : 'system calls are not filtered',
      /^Uid:\s+65534\s/m.test(said) ? '' : 'it does not run as nobody',
      // Below its heading stand routes, of which a network of nothing has none.
      /^Iface\b.*\n\S/m.test(said) ? 'it has a network' : '',
      said.includes('writable') ? 'the system can be written' : '',
      files[0]?.path === 'kept' ? '' : 'its work folder cannot be read',
    ].filter((fault) => fault !== '');
    return faults.length === 0 ? null : `${faults.join('; ')}.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const host: Host = {
  linkAt(path) {
    try {
      return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
    } catch {
      return undefined;
    }
  },
};

const systemProgram = (name: string) => find(name, FOLDERS_OF_PROGRAMS.join(delimiter));

/** The first file of that name that may be executed; relative folders do not count. */
function find(name: string, path: string): string | null {
  const places = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
  return places.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return lstatSync(path).isFile() || lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
