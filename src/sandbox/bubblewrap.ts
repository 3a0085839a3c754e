/**
 * The sandbox over bubblewrap (https://github.com/containers/bubblewrap), called directly: one run from the making of
 * its namespaces to the last of its processes. What the inside is made of is `confinement.ts`; what starts the
 * command there is `gate.ts`; what it takes is seen by `watch.ts`.
 *
 * Nothing of a run is on a disk: what is given is copied in over descriptors, what it writes is in a tmpfs that lives
 * as long as a descriptor of ours holds it. Where this process dies, the kernel ends the sandbox and frees all of it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { capture } from './capture.ts';
import { collect } from './collect.ts';
import { confinement, type Host, type Part, SCRATCH } from './confinement.ts';
import { inheritedFrom } from './descriptors.ts';
import { exitCodeIn, gated, READY } from './gate.ts';
import { makePipes } from './pipes.ts';
import { type KilledBy, type RunRequest, type RunResult, SandboxError, WORK_FOLDER } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';
import type { Architecture } from './syscalls.ts';
import { watch } from './watch.ts';
import { type OpenWayOut, openWayOut } from './way-out.ts';

export interface Bubblewrap {
  /** Absolute path of `bwrap`. */
  readonly bwrap: string;
  readonly architecture: Architecture;
  /**
   * The user who runs bubblewrap, where it is not who runs this process. Root must not: the kernel holds root to no
   * number of processes, and root's files would be readable in what is mounted.
   */
  readonly runAs: number | null;
  readonly host: Host;
}

/** Descriptors of the child: 3 and 4 are the gate's. */
const [STATUS, ARGUMENTS, FILTER, FIRST_SUPPLY] = [5, 6, 7, 8];
/** How long the setting up may take, ms: it takes a few, on a busy machine a few hundred. */
const SET_UP_MS = 20_000;

/** Runs `program`, a path inside, with the request's arguments. Rejects with `SANDBOX_FAILED` where it cannot be set up. */
export async function runConfined(
  request: RunRequest,
  program: string,
  programs: Readonly<Record<string, string>>,
  bubblewrap: Bubblewrap,
): Promise<RunResult> {
  const way = request.network === undefined ? null : await openWayOut(request.network, bubblewrap.runAs);
  try {
    return await runBy(way, request, program, programs, bubblewrap);
  } finally {
    await way?.hide();
  }
}

async function runBy(
  way: OpenWayOut | null,
  request: RunRequest,
  program: string,
  programs: Readonly<Record<string, string>>,
  { bwrap, architecture, runAs, host }: Bubblewrap,
): Promise<RunResult> {
  const { limits, signal, onOutput } = request;
  const given = { ...request, workBytes: limits.workBytes, programs, wayOut: way?.path ?? null };
  const { args, supplies } = numbered(confinement(given, host));
  const pipes = await makePipes(2);
  const [out, err] = pipes as [(typeof pipes)[0], (typeof pipes)[0]];
  const nothing = openSync('/dev/null', constants.O_RDONLY);
  const descriptors = ['--json-status-fd', String(STATUS), '--seccomp', String(FILTER)];
  const child = spawn(
    bwrap,
    [
      ...descriptors,
      '--args',
      String(ARGUMENTS),
      '--',
      ...gated(program, request.args, limits, way !== null),
    ],
    {
      cwd: '/',
      env: {},
      // A session of its own: what a terminal sends to us is for us, and we end it.
      detached: true,
      stdio: withNothingInherited(
        ['ignore', out.writeEnd, err.writeEnd, ...Array(5 + supplies.length).fill('pipe')],
        nothing,
      ),
      ...(runAs !== null && { uid: runAs, gid: runAs }),
    },
  );
  closeSync(nothing);
  for (const pipe of pipes) pipe.handOver();
  const started = performance.now();
  const exited = new Promise<void>((resolve) => {
    child.on('exit', () => resolve()).on('error', () => resolve());
  });

  let killedBy: KilledBy | null = null;
  let init: number | null = null;
  const kill = () => {
    // The first process of the sandbox takes all others with it, and is gone when they are.
    if (init !== null && child.exitCode === null && child.signalCode === null) killPid(init);
    else child.kill('SIGKILL');
  };
  const end = (reason: KilledBy) => {
    killedBy ??= reason;
    kill();
  };
  const stdout = capture(
    out.reader,
    limits.outputBytes,
    (bytes) => onOutput?.('stdout', bytes),
    () => end('output'),
  );
  const stderr = capture(
    err.reader,
    limits.outputBytes,
    (bytes) => onOutput?.('stderr', bytes),
    () => end('output'),
  );

  feed(child, ARGUMENTS, Buffer.from(args.map((argument) => `${argument}\0`).join('')));
  feed(child, FILTER, seccompFilter(architecture, way !== null));
  for (const [at, bytes] of supplies.entries()) feed(child, FIRST_SUPPLY + at, bytes);
  const gate = gateOf(child, exited);
  const setUp = setTimeout(kill, SET_UP_MS);
  const held: number[] = [];
  try {
    const [pid, ready] = await Promise.all([initOf(child, exited), gate.next()]);
    clearTimeout(setUp);
    if (pid === null || ready !== READY) {
      kill();
      await Promise.all([exited, stderr.ended]);
      throw new SandboxError('SANDBOX_FAILED', complaint(stderr.bytes()));
    }
    init = pid;
    await way?.hide();
    const [scratch, proc] = [hold(pid, SCRATCH, held), hold(pid, '/proc', held)];
    const watching = watch({ scratch, proc, limits, onExcess: end });
    const wall = setTimeout(() => end('wall-time'), limits.wallMs);
    const cancel = () => end('cancelled');
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    gate.go();
    const ended = await gate.next();
    const wallMs = performance.now() - started;
    clearTimeout(wall);
    signal?.removeEventListener('abort', cancel);
    const { cpuMs, peakBytes } = watching.stop();
    kill();
    await Promise.all([exited, stdout.ended, stderr.ended]);
    const work = `${scratch}${WORK_FOLDER.slice(SCRATCH.length)}`;
    return {
      ...outcome(ended === null ? null : exitCodeIn(ended), killedBy),
      killedBy,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      truncated: stdout.truncated() || stderr.truncated(),
      ...collect(work, request.work, request.keep),
      wallMs,
      cpuMs,
      peakBytes,
    };
  } finally {
    clearTimeout(setUp);
    for (const descriptor of held) closeSync(descriptor);
    for (const stream of child.stdio) stream?.destroy();
  }
}

/** What the child would get beside these is `nothing` to it. */
function withNothingInherited(own: readonly ('ignore' | 'pipe' | number)[], nothing: number) {
  const stdio = [...own];
  for (const number of inheritedFrom(own.length)) {
    while (stdio.length < number) stdio.push('ignore');
    stdio.push(nothing);
  }
  return stdio;
}

/** Each supply becomes the number of the descriptor that it will be read from. */
function numbered(parts: readonly Part[]): { args: string[]; supplies: Uint8Array[] } {
  const supplies: Uint8Array[] = [];
  const args = parts.map((part) =>
    typeof part === 'string' ? part : String(FIRST_SUPPLY + supplies.push(part.bytes) - 1),
  );
  return { args, supplies };
}

function feed(child: ChildProcess, descriptor: number, bytes: Uint8Array): void {
  const stream = child.stdio[descriptor] as Writable;
  // Bubblewrap that gives up early does not read the rest; why, it says itself.
  stream.on('error', () => {});
  stream.end(bytes);
}

/** Host's number of the sandbox's first process; null where it never came to be. */
async function initOf(child: ChildProcess, exited: Promise<void>): Promise<number | null> {
  const lines = linesOf(child.stdio[STATUS] as Readable, exited);
  const first = await lines();
  const found = /"child-pid":\s*(\d+)/.exec(first ?? '')?.[1];
  return found === undefined ? null : Number(found);
}

/** The talk with the gate: its next line, or null where it is gone. */
function gateOf(child: ChildProcess, exited: Promise<void>) {
  const input = child.stdio[3] as Writable;
  input.on('error', () => {});
  const lines = linesOf(child.stdio[4] as Readable, exited);
  return {
    next: lines,
    go: () => input.write('go\n'),
  };
}

/** The next line each time; null once there is no more, or the process is gone. */
function linesOf(stream: Readable, exited: Promise<void>): () => Promise<string | null> {
  stream.on('error', () => {});
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return () =>
    Promise.race([lines.next().then(({ value, done }) => (done ? null : value)), exited.then(() => null)]);
}

/** A folder of the sandbox, kept after its processes are gone; the path by which it is reached. */
function hold(init: number, folder: string, held: number[]): string {
  try {
    const descriptor = openSync(`/proc/${init}/root${folder}`, constants.O_RDONLY | constants.O_DIRECTORY);
    held.push(descriptor);
    return `/proc/self/fd/${descriptor}`;
  } catch (cause) {
    // Nothing has been let in yet; the gate ends when its descriptors do.
    throw new SandboxError('SANDBOX_FAILED', 'The sandbox cannot be watched from outside.', cause);
  }
}

function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const SIGNALS = new Map(Object.entries(osConstants.signals).map(([name, number]) => [number, name]));

/** A shell says 128 and the signal's number. Where the gate is gone, the script ended it, and itself with it. */
function outcome(code: number | null, killedBy: KilledBy | null): Pick<RunResult, 'exitCode' | 'signal'> {
  if (code === null || killedBy !== null) return { exitCode: null, signal: 'SIGKILL' };
  const signal = code > 128 ? SIGNALS.get(code - 128) : undefined;
  return signal === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal };
}

function complaint(stderr: Uint8Array): string {
  const said = Buffer.from(stderr).toString('utf8').trim();
  return said === '' ? 'The sandbox ended before anything was run.' : said.slice(0, 2_000);
}
