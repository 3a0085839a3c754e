/**
 * The port that runs untrusted scripts: request, limits and result. It knows nothing of skills or callers.
 * `bubblewrap.ts` is its only implementation; a machine that cannot run bubblewrap refuses. Nothing ever runs
 * outside a sandbox.
 */

import { CodedError } from '../../../src/base/errors.ts';
import type { KilledBy } from '../../../src/gateway/scripts.ts';

/**
 * - `SANDBOX_MISSING`: this machine has no sandbox; `message` says what to install or allow.
 * - `SANDBOX_FAILED`: this run could not be set up in the sandbox; nothing ran.
 * - `PROGRAM_MISSING`: the command is not among the programs in the sandbox.
 */
type SandboxErrorCode = 'SANDBOX_MISSING' | 'SANDBOX_FAILED' | 'PROGRAM_MISSING';

export class SandboxError extends CodedError<SandboxErrorCode> {
  override readonly name = 'SandboxError';
}

/** Limits of one run. Times in ms, sizes in bytes. */
export interface Limits {
  /** Wall time from start to end. */
  readonly wallMs: number;
  /** Of each process, enforced by the kernel; of all together, by sampling. */
  readonly cpuMs: number;
  /** Writable memory of each process, enforced by the kernel; memory of all together, by sampling. */
  readonly memoryBytes: number;
  /** Processes and threads at a time. */
  readonly processes: number;
  readonly fileBytes: number;
  /** Everything it writes: work folder and temporary files together. */
  readonly workBytes: number;
  /** Of standard output and of standard error, each. */
  readonly outputBytes: number;
}

/** A file as bytes, so that nothing outside can change it afterwards. */
export interface GivenFile {
  /** Relative path, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The proxy outside the sandbox, behind a Unix socket: all that a run with network can reach. */
export interface EgressProxy {
  /** Listens on a Unix socket at `path` until the run is over. */
  listen(path: string): Promise<void>;
}

export interface RunRequest {
  /** Name of a program (`python3`), found in the sandbox's program folders. */
  readonly command: string;
  readonly args: readonly string[];
  /** Appear below `READ_ONLY_FOLDER`, which nothing in the sandbox can change. */
  readonly readOnly: readonly GivenFile[];
  /** Folders of the machine that appear where they are, read-only. */
  readonly folders?: readonly string[];
  /** Appear in the work folder, `WORK_FOLDER`, where the command starts. */
  readonly work: readonly GivenFile[];
  /** All of standard input. */
  readonly stdin: Uint8Array;
  /** The environment, except for `PATH`, `HOME`, `TMPDIR` and `LANG`. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** Without it there is no network; with it, only an HTTP proxy at `http_proxy`. */
  readonly network?: EgressProxy;
  /** Limits on the output files that are returned. */
  readonly keep: { readonly files: number; readonly bytes: number };
  readonly signal?: AbortSignal;
  /** Called with output as it arrives, within the limit. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
}

export interface RunResult {
  /** Null if a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly killedBy: KilledBy | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** True if output exceeded its limit; the beginning is kept. */
  readonly truncated: boolean;
  /** Regular files left in the work folder that were not given, in code-unit order of path. */
  readonly files: readonly GivenFile[];
  /** Files left out, and why: too large, too many, not a regular file. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  readonly wallMs: number;
  /** Of all its processes that were waited for; sampled. */
  readonly cpuMs: number;
  /** The most memory that its processes used at a time; sampled, so a short peak may be missed. */
  readonly peakBytes: number;
}

/** Whether this machine has a working sandbox, and what it restricts. */
export interface SandboxStatus {
  /** Such as `bubblewrap 0.8.0`; null without a working sandbox. */
  readonly layer: string | null;
  /** What the sandbox restricts, in words for people. */
  readonly guarantees: readonly string[];
  /** Why there is no working sandbox, in sentences, with what to install or allow. Empty if there is one. */
  readonly problems: readonly string[];
}

export interface Sandbox {
  /** Verified by a first run. A working status is remembered; a failed check is repeated at the next call. */
  status(): Promise<SandboxStatus>;
  /** The path of a program inside the sandbox; null if the sandbox does not contain it. */
  programPath(name: string): string | null;
  /** Rejects with `SandboxError` if nothing ran. When it settles, all processes of the run have ended. */
  run(request: RunRequest): Promise<RunResult>;
}

/** Where the read-only files appear. */
export const READ_ONLY_FOLDER = '/skill';
/** Where the command starts and may write. */
export const WORK_FOLDER = '/tmp/work';
