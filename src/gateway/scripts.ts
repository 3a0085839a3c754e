/**
 * The port for running a script of a skill, as every surface sees it: which script, for whom, with which input, and what
 * is reported. The extension `scripts` runs them.
 */

import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Principal } from './policy/principal.ts';

/** Finds a skill that the caller may see; a gateway does. Throws `GatewayError` where it cannot. */
interface SkillFinder {
  find(request: { readonly skill: string }): Promise<{
    readonly entry: CatalogEntry;
    readonly files: readonly { readonly path: string }[];
    readonly frontmatter: Readonly<Record<string, unknown>>;
  }>;
}

/** A caller, and the gateway restricted to what this caller may see. */
export interface Caller {
  readonly principal: Principal;
  readonly gateway: SkillFinder;
}

/** Network domains of a run: what went through and what was refused; each domain once per reason. */
export interface Traffic {
  readonly reached: readonly string[];
  readonly refused: readonly { readonly domain: string; readonly reason: string }[];
}

/** Input of a script: named arguments as JSON, or words and standard input as a shell would pass them. */
export type ScriptInput =
  | { readonly kind: 'named'; readonly values: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'plain';
      readonly words: readonly string[];
      readonly stdin: Uint8Array;
      readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
    };

export interface ScriptRequest {
  /** Id, URI or name. */
  readonly skill: string;
  /** Path below the skill's folder, or its name with or without extension. */
  readonly script: string;
  readonly input: ScriptInput;
  /** Can only shorten the time limit of the configuration and the skill. */
  readonly timeoutMs?: number;
}

/** A run that is allowed. Its files match the catalog's digest and are held in memory. */
export interface PreparedRun {
  readonly skill: string;
  /** Hex SHA-256 over all files of the skill. */
  readonly digest: string;
  readonly path: string;
  /** Command and arguments, to show to the person who confirms. */
  readonly command: readonly string[];
  /** Domains that the script may reach, to show to the person who confirms. */
  readonly domains: readonly string[];
  /** Call once. Waits in the queue for its turn. */
  run(options?: RunOptions): Promise<ScriptOutcome>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Receives each whole line of output, without control sequences and known secrets. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
}

export interface OutputFile {
  /** Relative to the work folder, with `/`. */
  readonly path: string;
  /** `skill-output://<run>/<path>`. */
  readonly uri: string;
  readonly size: number;
  readonly mimeType: string;
}

/** The result of a run. A failed script is an outcome, not an error. */
export interface ScriptOutcome {
  readonly skill: string;
  readonly digest: string;
  readonly path: string;
  /** Unguessable; the authority of its files' URIs. */
  readonly runId: string;
  /** Null where a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly killedBy: KilledBy | null;
  /** Without control sequences, known secrets redacted. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Standard output as JSON, where it is. */
  readonly json?: unknown;
  readonly files: readonly OutputFile[];
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  /** Domains that the skill asks for and may not reach. */
  readonly wanted: readonly string[];
  /** Domains that it reached, and those that were refused. */
  readonly traffic: Traffic;
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export const succeeded = ({ exitCode }: Pick<ScriptOutcome, 'exitCode'>) => exitCode === 0;

/** The audit record of each run, and of each refusal of an existing script. */
export interface ScriptRecord {
  readonly principal: string;
  readonly skill: string;
  readonly digest: string;
  readonly script: string;
  /** Hex SHA-256 of the input as JSON: shows which inputs are equal without storing them. */
  readonly inputHash: string;
  /** Named values, or the words as one text; secrets are masked. */
  readonly parameters: unknown;
  readonly outcome: 'done' | 'failed' | 'killed' | 'refused';
  readonly exitCode: number | null;
  readonly killedBy: KilledBy | null;
  readonly traffic: Traffic;
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/** Why a run was killed. `entries`: it created more files and folders than any run needs. */
export type KilledBy = 'wall-time' | 'cpu-time' | 'memory' | 'entries' | 'output' | 'cancelled';

export type Confirm = 'never' | 'when-supported' | 'always';

export interface Scripts {
  /** Whether a person must confirm each run. */
  readonly confirm: Confirm;
  /**
   * Throws `GatewayError`: those of `load`, `SCRIPT_UNKNOWN`, `SCRIPT_REFUSED`, `SCRIPT_ARGUMENTS`; its `run`
   * `SCRIPTS_BUSY`, `SCRIPTS_UNAVAILABLE`, `SCRIPT_CANCELLED`.
   */
  prepare(request: ScriptRequest, caller: Caller): Promise<PreparedRun>;
  /** Bytes of an output file of this principal's run; null where there is none, or where it has expired. */
  output(uri: string, principal: Principal): { readonly bytes: Uint8Array; readonly mimeType: string } | null;
  /** Ends active runs and drops all output. */
  close(): Promise<void>;
}
