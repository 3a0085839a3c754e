/**
 * The port through which something that nobody trusts is run: what it is given, what it may take, what came of it.
 * It knows nothing of skills or of who asks. There is one implementation (`bubblewrap.ts`) and the refusal of those
 * machines that have none: nothing is ever run outside a sandbox.
 */

/**
 * - `SANDBOX_MISSING`: no sandbox can be had on this machine; `message` says what to install or to allow.
 * - `SANDBOX_FAILED`: there is one, but this run could not be set up in it; nothing was run.
 * - `PROGRAM_MISSING`: the command is not among the programs that a sandbox shows.
 */
export type SandboxErrorCode = 'SANDBOX_MISSING' | 'SANDBOX_FAILED' | 'PROGRAM_MISSING';

export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** What holds a run in. Times in ms, sizes in bytes. */
export interface Limits {
  /** From start to end, whatever it does. */
  readonly wallMs: number;
  /** Of each process by the kernel, of all together by watching. */
  readonly cpuMs: number;
  /** Writable memory of each process by the kernel, memory of all together by watching. */
  readonly memoryBytes: number;
  /** Processes and threads at a time. */
  readonly processes: number;
  readonly fileBytes: number;
  /** All that it writes, the folder of its own and temporary files together. */
  readonly workBytes: number;
  /** Of standard output and of standard error, each. */
  readonly outputBytes: number;
}

/** A file as the sandbox gets it: a copy made from these bytes, so that nothing outside can change it afterwards. */
export interface GivenFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What stands outside for a run that may reach something: a proxy on a Unix socket, which is all that it can reach. */
export interface WayOut {
  /** Listens on a Unix socket at `path` until the run is over. */
  listen(path: string): Promise<void>;
}

export interface RunRequest {
  /** Name of a program (`python3`), found where the sandbox shows programs. */
  readonly command: string;
  readonly args: readonly string[];
  /** Appear below `READ_ONLY_FOLDER`, which nothing in the sandbox can change. */
  readonly readOnly: readonly GivenFile[];
  /** Appear in the work folder, `WORK_FOLDER`, in which the command starts. */
  readonly work: readonly GivenFile[];
  /** Standard input, whole. */
  readonly stdin: Uint8Array;
  /** All of the environment but `PATH`, `HOME`, `TMPDIR` and `LANG`. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** Without it there is no network of any kind; with it, an HTTP proxy at `http_proxy` and nothing else. */
  readonly network?: WayOut;
  /** Of the files that it leaves in the work folder: what is handed back at most. */
  readonly keep: { readonly files: number; readonly bytes: number };
  readonly signal?: AbortSignal;
  /** Output as it comes, within the limit. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
}

/** Why it was ended before it ended itself. `entries` are files and folders written: more than any run needs. */
export type KilledBy = 'wall-time' | 'cpu-time' | 'memory' | 'entries' | 'output' | 'cancelled';

export interface RunResult {
  /** Null where a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly killedBy: KilledBy | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** True where output went over its limit; what came first is there. */
  readonly truncated: boolean;
  /** Regular files that it left in the work folder and that were not given, in code-unit order of path. */
  readonly files: readonly GivenFile[];
  /** Those left out, and why: too large, too many, no regular file. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  readonly wallMs: number;
  /** Of all its processes, as far as they were waited for; sampled. */
  readonly cpuMs: number;
  /** The most that its processes held in memory at a time; sampled, so that what a short run held may be missed. */
  readonly peakBytes: number;
}

/** Whether a sandbox can be had here, and what holds a script in. */
export interface Standing {
  /** Such as `bubblewrap 0.8.0`; null where there is none. */
  readonly layer: string | null;
  /** What it is made of, in words, for people. */
  readonly holds: readonly string[];
  /** Why there is none, in sentences, with what to install or to allow. Empty where there is one. */
  readonly problems: readonly string[];
}

export interface Sandbox {
  /** Tried out, not guessed: a first run looks whether everything holds. Remembered while it stands. */
  standing(): Promise<Standing>;
  /** The path at which the sandbox shows a program of that name; null where it shows none. */
  programPath(name: string): string | null;
  /** Rejects with `SandboxError` where nothing was run. Whatever was run has ended, whole tree, before it settles. */
  run(request: RunRequest): Promise<RunResult>;
}

/** Where the files that cannot be changed are seen. */
export const READ_ONLY_FOLDER = '/skill';
/** Where the command starts and may write. */
export const WORK_FOLDER = '/tmp/work';
