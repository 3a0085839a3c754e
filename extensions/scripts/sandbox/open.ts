/** Opens this machine's sandbox: bubblewrap on Linux, checked by a first run, or a refusal that gives the reason. */

import { execFile } from 'node:child_process';
import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '../../../src/base/errors.ts';
import { ALLOWED } from './allowed-calls.ts';
import { type Bubblewrap, runConfined } from './bubblewrap.ts';
import { FOLDERS_OF_PROGRAMS, type Host, PROGRAMS_FOLDER } from './confinement.ts';
import { findGroups, type Groups, placeOfThisProcess } from './control-group.ts';
import { FORWARDER } from './launcher.ts';
import {
  type RunRequest,
  type RunResult,
  type Sandbox,
  SandboxError,
  type SandboxStatus,
} from './sandbox.ts';
import type { Architecture } from './syscalls.ts';

interface Machine {
  /** The values of `process.platform`, `process.arch` and `process.getuid()`. */
  readonly platform: string;
  readonly architecture: string;
  readonly uid: number;
  /** Folders to search for `bwrap`, in the format of `PATH`. */
  readonly path: string;
  /** Programs that scripts may need and that may be outside the system folders, by name, such as Node.js itself. */
  readonly programs: Readonly<Record<string, string>>;
}

/** User nobody, on every Linux: runs bubblewrap where this process is root. */
const NOBODY = 65_534;
const INSTALL =
  'Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch), apk add bubblewrap util-linux (Alpine).';
export const INSTALL_FORWARDER = `${FORWARDER} is not installed; scripts need it to reach the domains that are granted to them. Install it: apt-get install ${FORWARDER} (or dnf, pacman -S, apk add).`;
const ALLOW =
  'It needs user namespaces: on the machine itself `sysctl kernel.unprivileged_userns_clone=1` (Debian) or an AppArmor profile for bwrap (Ubuntu 24.04), in a container `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`.';

export const openSandbox = (machine: Machine, now: () => number = () => performance.now()): Sandbox =>
  new BubblewrapSandbox(machine, now);

class BubblewrapSandbox implements Sandbox {
  readonly #machine: Machine;
  readonly #now: () => number;
  readonly #bwrap: string | null;
  /** Programs outside the system folders that are mounted, by name. */
  readonly #outside: Readonly<Record<string, string>>;
  #status: Promise<SandboxStatus> | null = null;
  #groups: Promise<Groups> | null = null;

  constructor(machine: Machine, now: () => number) {
    this.#machine = machine;
    this.#now = now;
    this.#bwrap = find('bwrap', machine.path);
    this.#outside = Object.fromEntries(
      Object.entries(machine.programs).filter(
        // User nobody may have no access to a program in root's home.
        ([name, path]) => systemProgram(name) === null && isAbsolute(path) && machine.uid !== 0,
      ),
    );
  }

  async status(): Promise<SandboxStatus> {
    this.#status ??= this.#check();
    const status = await this.#status;
    // What was missing may be installed before the next call.
    if (status.layer === null) this.#status = null;
    return status;
  }

  programPath(name: string): string | null {
    return systemProgram(name) ?? (Object.hasOwn(this.#outside, name) ? `${PROGRAMS_FOLDER}/${name}` : null);
  }

  async run(request: RunRequest): Promise<RunResult> {
    const { layer, problems } = await this.status();
    if (layer === null) throw new SandboxError('SANDBOX_MISSING', problems.join(' '));
    return this.#confined(request);
  }

  async #check(): Promise<SandboxStatus> {
    const missing = await findMissing(this.#machine, this.#bwrap);
    if (missing !== null) return { layer: null, guarantees: [], problems: [missing] };
    const layer = await readVersion(this.#bwrap ?? 'bwrap');
    const fault = await tryRun((request) => this.#confined(request));
    if (fault === null)
      return { layer, guarantees: [...GUARANTEES, together(await this.#controlGroups())], problems: [] };
    const problem = `${layer} is installed but does not confine scripts: ${fault}`;
    return { layer: null, guarantees: [], problems: [problem, ALLOW] };
  }

  async #confined(request: RunRequest): Promise<RunResult> {
    const { command, network } = request;
    const program = this.programPath(command);
    if (program === null)
      throw new SandboxError(
        'PROGRAM_MISSING',
        `${command} is not installed for the whole machine: the sandbox contains ${FOLDERS_OF_PROGRAMS.join(', ')} and no home folder.`,
      );
    if (this.#bwrap === null) throw new SandboxError('SANDBOX_MISSING', INSTALL);
    if (network !== undefined && systemProgram(FORWARDER) === null)
      throw new SandboxError('PROGRAM_MISSING', INSTALL_FORWARDER);
    const mounted = Object.hasOwn(this.#outside, command) ? { [command]: this.#outside[command] ?? '' } : {};
    return runConfined(request, program, mounted, await this.#bubblewrap(this.#bwrap));
  }

  async #bubblewrap(bwrap: string): Promise<Bubblewrap> {
    const { architecture, uid } = this.#machine;
    const groups = await this.#controlGroups();
    return {
      bwrap,
      architecture: architecture as Architecture,
      runAs: uid === 0 ? NOBODY : null,
      host,
      groups: 'folder' in groups ? groups.folder : null,
      now: this.#now,
    };
  }

  #controlGroups(): Promise<Groups> {
    this.#groups ??= placeOfThisProcess().then(findGroups);
    return this.#groups;
  }
}

const GUARANTEES: readonly string[] = [
  'own namespaces for users, processes, mounts, network (loopback only), IPC, host name and cgroups',
  'user nobody, without capabilities and without a way to gain any',
  `a system call filter (${Object.keys(ALLOWED).length} allowed, all others fail; no new namespaces; only Unix sockets, and TCP inside the sandbox for scripts that may reach domains)`,
  'read-only system and skill; one writable file system in memory, of fixed size',
  'no command line, modules, devices or kernel configuration of the machine in /proc',
  'kernel limits for each process; processor time and files of all together checked every 40 ms',
];

/** What limits all processes of a run together. */
const together = (groups: Groups) =>
  'folder' in groups
    ? `a control group in ${groups.folder}: kernel limits for the memory of all processes together, buffers of sockets included, and their number; less processor time than the server where it is scarce`
    : `memory of all processes together checked every 40 ms, buffers of sockets not counted, because there is no control group: ${groups.problem}`;

async function findMissing(machine: Machine, bwrap: string | null): Promise<string | null> {
  if (machine.platform !== 'linux')
    return `Scripts run on Linux only, in bubblewrap; this is ${machine.platform}.`;
  if (machine.architecture !== 'x64' && machine.architecture !== 'arm64')
    return `Scripts run on x64 and arm64 only, where system calls can be filtered; this is ${machine.architecture}.`;
  if (bwrap === null) return `bubblewrap is not installed. ${INSTALL}`;
  const tool = ['prlimit', 'sh'].find((name) => systemProgram(name) === null);
  return tool === undefined ? null : `${tool} is missing (package util-linux). Install it.`;
}

const run = promisify(execFile);

async function readVersion(bwrap: string): Promise<string> {
  const { stdout } = await run(bwrap, ['--version']).catch(() => ({ stdout: 'bubblewrap' }));
  return stdout.trim();
}

/** Prints the kernel's status of this process, and leaves a file to be read back. */
const CHECKS = 'cat /proc/self/status /proc/net/route; echo kept >kept; touch /usr/kept && echo writable';

/** Null if the sandbox keeps every guarantee, else which it does not. */
async function tryRun(confined: (request: RunRequest) => Promise<RunResult>): Promise<string | null> {
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
      args: ['-c', CHECKS],
      readOnly: [],
      work: [],
      stdin: new Uint8Array(),
      env: {},
      limits,
      keep: { files: 1, bytes: 100 },
    });
    const output = Buffer.from(stdout).toString('utf8');
    const faults = [
      /^NoNewPrivs:\s+1$/m.test(output) ? '' : 'programs may gain privileges',
      /^CapEff:\s+0+$/m.test(output) && /^CapBnd:\s+0+$/m.test(output) ? '' : 'capabilities are left',
      /^Seccomp:\s+2$/m.test(output) ? '' : 'system calls are not filtered',
      /^Uid:\s+65534\s/m.test(output) ? '' : 'it does not run as nobody',
      // Routes follow the heading; an empty network has none.
      /^Iface\b.*\n\S/m.test(output) ? 'it has a network' : '',
      output.includes('writable') ? 'the system can be written' : '',
      files[0]?.path === 'kept' ? '' : 'its work folder cannot be read',
    ].filter((fault) => fault !== '');
    return faults.length === 0 ? null : `${faults.join('; ')}.`;
  } catch (error) {
    return errorMessage(error);
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

/** The first executable file of that name; relative folders do not count. */
function find(name: string, path: string): string | null {
  const candidates = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return lstatSync(path).isFile() || lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
