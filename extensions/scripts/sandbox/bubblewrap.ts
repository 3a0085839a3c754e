/**
 * One run in a bubblewrap sandbox (https://github.com/containers/bubblewrap), from creating its namespaces to the
 * end of its last process. `confinement.ts` defines what the sandbox contains, `launcher.ts` starts the command
 * inside it, `memory-watch.ts` measures what it uses.
 *
 * Nothing of a run is on a disk: inputs are copied in over descriptors, and outputs are in a tmpfs that exists only
 * as long as this process holds a descriptor of it. If this process dies, the kernel ends the sandbox and frees all
 * of it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { errorMessage } from '../../../src/base/errors.ts';
import type { KilledBy } from '../../../src/gateway/scripts.ts';
import { collect } from './collect.ts';
import { confinement, type Host, type Part, SCRATCH } from './confinement.ts';
import { type ControlGroup, createGroup, type GroupLimits } from './control-group.ts';
import { inheritedFrom } from './descriptors.ts';
import { exitCodeIn, launchCommand, READY } from './launcher.ts';
import { watchUsage } from './memory-watch.ts';
import { capture, makePipes } from './pipes.ts';
import { openProxySocket, type ProxySocket } from './proxy-socket.ts';
import { type RunRequest, type RunResult, SandboxError, WORK_FOLDER } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';
import type { Architecture } from './syscalls.ts';

export interface Bubblewrap {
  /** Absolute path of `bwrap`. */
  readonly bwrap: string;
  readonly architecture: Architecture;
  /**
   * The user that runs bubblewrap; null for the user of this process. It must not be root: the kernel does not
   * limit the number of root's processes, and root's files would be readable in what is mounted.
   */
  readonly runAs: number | null;
  readonly host: Host;
  /** Where control groups can be created; null where they cannot. */
  readonly groups: string | null;
  /** Milliseconds since some start. */
  readonly now: () => number;
}

/** Descriptors of the child; 3 and 4 are the launcher's. */
const [STATUS, ARGUMENTS, FILTER, FIRST_SUPPLY] = [5, 6, 7, 8];
/** Time limit of the setup, ms: it takes a few, on a busy machine a few hundred. */
const SET_UP_MS = 20_000;
/** What the kernel itself needs for a run, bytes: page tables of programs that reserve far more than they use, among others. */
const KERNEL_BYTES = 64 * 2 ** 20;
/** Processes of the setup in the same control group: bubblewrap, the launcher, and the forwarder of a run with a proxy. */
const SET_UP_PROCESSES = 3;

/**
 * Runs `program`, a path inside the sandbox, with the request's arguments. Rejects with `SANDBOX_FAILED` if the
 * sandbox cannot be set up.
 */
export async function runConfined(
  request: RunRequest,
  program: string,
  programs: Readonly<Record<string, string>>,
  bubblewrap: Bubblewrap,
): Promise<RunResult> {
  const socket =
    request.network === undefined ? null : await openProxySocket(request.network, bubblewrap.runAs);
  let group: ControlGroup | null = null;
  let run: ConfinedRun | null = null;
  try {
    if (bubblewrap.groups !== null) group = await groupIn(bubblewrap.groups, groupLimits(request));
    run = await ConfinedRun.start(request, { socket, group, program, programs }, bubblewrap);
    return await run.result();
  } finally {
    run?.close();
    await Promise.all([socket?.unlink(), group?.remove()]);
  }
}

/** The kernel's limit covers the files of the run too, which are in memory. */
const groupLimits = (request: RunRequest): GroupLimits => {
  const { memoryBytes, workBytes, processes } = request.limits;
  return {
    memoryBytes: memoryBytes + workBytes + readOnlyBytes(request) + KERNEL_BYTES,
    processes: processes + SET_UP_PROCESSES,
  };
};

/** Rejects with `SANDBOX_FAILED`. */
async function groupIn(folder: string, limits: GroupLimits): Promise<ControlGroup> {
  try {
    return await createGroup(folder, limits);
  } catch (cause) {
    throw new SandboxError('SANDBOX_FAILED', `No control group can be created: ${errorMessage(cause)}.`, {
      cause,
    });
  }
}

const readOnlyBytes = ({ readOnly, stdin }: RunRequest) =>
  readOnly.reduce((sum, { bytes }) => sum + bytes.length, stdin.length);

/** What a run needs next to its request. */
interface Resources {
  readonly socket: ProxySocket | null;
  readonly group: ControlGroup | null;
  readonly program: string;
  readonly programs: Readonly<Record<string, string>>;
}

/** A child process in a sandbox: `start` it, wait for its `result`, `close` it. */
class ConfinedRun {
  readonly #request: RunRequest;
  readonly #resources: Resources;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #launcher: ReturnType<typeof watchLauncher>;
  readonly #stdout: Captured;
  readonly #stderr: Captured;
  readonly #now: () => number;
  readonly #startedAt: number;
  /** Descriptors of the sandbox's folders. */
  readonly #held: number[] = [];
  #killedBy: KilledBy | null = null;
  /** The first process of the sandbox, once it is known. */
  #init: number | null = null;

  static async start(
    request: RunRequest,
    resources: Resources,
    bubblewrap: Bubblewrap,
  ): Promise<ConfinedRun> {
    const { socket, group, program, programs } = resources;
    const { limits } = request;
    const given = { ...request, workBytes: limits.workBytes, programs, proxySocket: socket?.path ?? null };
    const { args, supplies } = numbered(confinement(given, bubblewrap.host), FIRST_SUPPLY);
    const pipes = (await makePipes(2)) as [Pipe, Pipe];
    const command = launchCommand(program, request.args, limits, socket !== null);
    const child = spawnBubblewrap(command, pipes, supplies.length, bubblewrap);
    for (const pipe of pipes) pipe.handOver();
    const run = new ConfinedRun(child, request, resources, { pipes, now: bubblewrap.now });
    // Bubblewrap starts nothing before it has its arguments, so all of its processes are in the group.
    await joinGroup(group, child);
    feed(child, ARGUMENTS, Buffer.from(args.map((argument) => `${argument}\0`).join('')));
    feed(child, FILTER, seccompFilter(bubblewrap.architecture, socket === null ? 'unix' : 'tcp'));
    for (const [at, bytes] of supplies.entries()) feed(child, FIRST_SUPPLY + at, bytes);
    return run;
  }

  private constructor(
    child: ChildProcess,
    request: RunRequest,
    resources: Resources,
    { pipes: [out, err], now }: { readonly pipes: readonly [Pipe, Pipe]; readonly now: () => number },
  ) {
    this.#child = child;
    this.#request = request;
    this.#resources = resources;
    this.#now = now;
    this.#startedAt = now();
    this.#exited = new Promise<void>((resolve) => {
      child.on('exit', () => resolve()).on('error', () => resolve());
    });
    const captureAs = (name: 'stdout' | 'stderr', pipe: Pipe) =>
      capture(
        pipe.reader,
        request.limits.outputBytes,
        (bytes) => request.onOutput?.(name, bytes),
        () => this.#end('output'),
      );
    this.#stdout = captureAs('stdout', out);
    this.#stderr = captureAs('stderr', err);
    this.#launcher = watchLauncher(child, this.#exited);
  }

  /** Runs the program to its end, or to the first limit that it exceeds. Rejects with `SANDBOX_FAILED`. */
  async result(): Promise<RunResult> {
    const { limits, signal, work, keep } = this.#request;
    const { socket, group } = this.#resources;
    const init = await this.#setUp();
    await socket?.unlink();
    const [scratch, proc] = [hold(init, SCRATCH, this.#held), hold(init, '/proc', this.#held)];
    const usage = watchUsage({
      scratch,
      proc,
      limits,
      onExcess: (reason) => this.#end(reason),
      ...(group !== null && { group, givenBytes: readOnlyBytes(this.#request) }),
    });
    const wall = setTimeout(() => this.#end('wall-time'), limits.wallMs);
    const cancel = () => this.#end('cancelled');
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    this.#launcher.go();
    const ended = await this.#launcher.next();
    const wallMs = this.#now() - this.#startedAt;
    clearTimeout(wall);
    signal?.removeEventListener('abort', cancel);
    const { cpuMs, peakBytes } = await usage.stop();
    if (this.#killedBy === null && (await group?.ranOutOfMemory()) === true) this.#killedBy = 'memory';
    this.#kill();
    await Promise.all([this.#exited, this.#stdout.ended, this.#stderr.ended]);
    return {
      ...outcome(ended === null ? null : exitCodeIn(ended), this.#killedBy),
      killedBy: this.#killedBy,
      stdout: this.#stdout.bytes(),
      stderr: this.#stderr.bytes(),
      truncated: this.#stdout.truncated() || this.#stderr.truncated(),
      ...collect(`${scratch}${WORK_FOLDER.slice(SCRATCH.length)}`, work, keep),
      wallMs,
      cpuMs,
      peakBytes,
    };
  }

  close(): void {
    for (const descriptor of this.#held) closeSync(descriptor);
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  /** Waits until the sandbox is set up. Returns the pid of its first process. */
  async #setUp(): Promise<number> {
    const timer = setTimeout(() => this.#kill(), SET_UP_MS);
    try {
      const [init, ready] = await Promise.all([findInit(this.#child, this.#exited), this.#launcher.next()]);
      if (init !== null && ready === READY) {
        this.#init = init;
        return init;
      }
    } finally {
      clearTimeout(timer);
    }
    this.#kill();
    await Promise.all([this.#exited, this.#stderr.ended]);
    throw new SandboxError('SANDBOX_FAILED', failureText(this.#stderr.bytes()));
  }

  #end(reason: KilledBy): void {
    this.#killedBy ??= reason;
    this.#kill();
  }

  /** Killing the first process of the sandbox kills all others. */
  #kill(): void {
    const child = this.#child;
    if (this.#init !== null && child.exitCode === null && child.signalCode === null) killPid(this.#init);
    else child.kill('SIGKILL');
  }
}

type Pipe = Awaited<ReturnType<typeof makePipes>>[number];
type Captured = ReturnType<typeof capture>;

/** `supplies`: number of the descriptors that feed the sandbox's files. */
function spawnBubblewrap(
  command: readonly string[],
  [out, err]: readonly [Pipe, Pipe],
  supplies: number,
  { bwrap, runAs }: Bubblewrap,
): ChildProcess {
  const descriptors = ['--json-status-fd', String(STATUS), '--seccomp', String(FILTER)];
  const nothing = openSync('/dev/null', constants.O_RDONLY);
  try {
    return spawn(bwrap, [...descriptors, '--args', String(ARGUMENTS), '--', ...command], {
      cwd: '/',
      env: {},
      // A session of its own: terminal signals reach this process only, which then ends the child.
      detached: true,
      stdio: withNothingInherited(
        ['ignore', out.writeEnd, err.writeEnd, ...Array(5 + supplies).fill('pipe')],
        nothing,
      ),
      ...(runAs !== null && { uid: runAs, gid: runAs }),
    });
  } finally {
    closeSync(nothing);
  }
}

/** Call this before the child has its arguments: it has no children of its own until then. */
export async function joinGroup(group: ControlGroup | null, child: ChildProcess): Promise<void> {
  if (group === null || child.pid === undefined) return;
  try {
    await group.add(child.pid);
  } catch (cause) {
    child.kill('SIGKILL');
    for (const stream of child.stdio) stream?.destroy();
    throw new SandboxError('SANDBOX_FAILED', `The control group does not take it: ${errorMessage(cause)}.`, {
      cause,
    });
  }
}

/** Descriptors that the child would inherit in addition to `own` point to `nothing` instead. */
function withNothingInherited(own: readonly ('ignore' | 'pipe' | number)[], nothing: number) {
  const stdio = [...own];
  for (const number of inheritedFrom(own.length)) {
    while (stdio.length < number) stdio.push('ignore');
    stdio.push(nothing);
  }
  return stdio;
}

/** Replaces each supply by the number of the descriptor that bubblewrap reads it from, from `first` up. */
function numbered(parts: readonly Part[], first: number): { args: string[]; supplies: Uint8Array[] } {
  const supplies: Uint8Array[] = [];
  const args = parts.map((part) =>
    typeof part === 'string' ? part : String(first + supplies.push(part.bytes) - 1),
  );
  return { args, supplies };
}

function feed(child: ChildProcess, descriptor: number, bytes: Uint8Array): void {
  const stream = child.stdio[descriptor] as Writable;
  // Bubblewrap stops reading when it fails; it reports the reason on stderr.
  stream.on('error', () => {});
  stream.end(bytes);
}

/** The pid, as the host sees it, of the sandbox's first process; null if it never started. */
async function findInit(child: ChildProcess, exited: Promise<void>): Promise<number | null> {
  const lines = readLines(child.stdio[STATUS] as Readable, exited);
  const first = await lines();
  const found = /"child-pid":\s*(\d+)/.exec(first ?? '')?.[1];
  return found === undefined ? null : Number(found);
}

/** The connection to the launcher: `next` is its next line, or null once it has ended. */
function watchLauncher(child: ChildProcess, exited: Promise<void>) {
  const input = child.stdio[3] as Writable;
  input.on('error', () => {});
  const lines = readLines(child.stdio[4] as Readable, exited);
  return {
    next: lines,
    go: () => input.write('go\n'),
  };
}

/** The next line at each call; null at the end of the stream, or once the process has ended. */
function readLines(stream: Readable, exited: Promise<void>): () => Promise<string | null> {
  stream.on('error', () => {});
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return () =>
    Promise.race([lines.next().then(({ value, done }) => (done ? null : value)), exited.then(() => null)]);
}

/** Opens a folder of the sandbox so that it stays readable after its processes end. Returns the path to read it by. */
function hold(init: number, folder: string, held: number[]): string {
  try {
    const descriptor = openSync(`/proc/${init}/root${folder}`, constants.O_RDONLY | constants.O_DIRECTORY);
    held.push(descriptor);
    return `/proc/self/fd/${descriptor}`;
  } catch (cause) {
    // The command has not started yet, and the launcher ends when its descriptors close.
    throw new SandboxError('SANDBOX_FAILED', 'The sandbox’s files cannot be opened from outside.', { cause });
  }
}

function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

const SIGNALS = new Map(Object.entries(osConstants.signals).map(([name, number]) => [number, name]));

/**
 * Shells report a signal as 128 plus its number. If the launcher ended without a report, the script killed
 * everything.
 */
function outcome(code: number | null, killedBy: KilledBy | null): Pick<RunResult, 'exitCode' | 'signal'> {
  if (code === null || killedBy !== null) return { exitCode: null, signal: 'SIGKILL' };
  const signal = code > 128 ? SIGNALS.get(code - 128) : undefined;
  return signal === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal };
}

function failureText(stderr: Uint8Array): string {
  const text = Buffer.from(stderr).toString('utf8').trim();
  return text === '' ? 'The sandbox ended before anything was run.' : text.slice(0, 2_000);
}
