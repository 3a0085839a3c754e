/**
 * Running a script of a skill, as every surface sees it. What holds it in is `#sandbox`'s affair; here is which one
 * may be run, for whom, with what, and what is told of it.
 */

import type { Traffic } from '../../net/proxy.ts';
import type { KilledBy } from '../../sandbox/sandbox.ts';
import type { Gateway } from '../gateway.ts';
import type { Principal } from '../principal.ts';

/** A caller, and the gateway that shows what this caller may see. */
export interface Caller {
  readonly principal: Principal;
  readonly gateway: Pick<Gateway, 'load'>;
}

/** What a script is given: named arguments as JSON, or words and input as a shell would pass them. */
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
  /** Shorter than what the configuration and the skill allow; never longer. */
  readonly timeoutMs?: number;
}

/** A run that has been found allowed: the bytes it would run are those of the catalog's digest, and are held. */
export interface PreparedRun {
  readonly skill: string;
  /** Hex SHA-256 over all files of the skill. */
  readonly digest: string;
  readonly path: string;
  /** Command and arguments, for whoever is asked. */
  readonly command: readonly string[];
  /** Domains that it may reach, for whoever is asked. */
  readonly domains: readonly string[];
  /** May be called once. Waits for its turn. */
  run(options?: RunOptions): Promise<ScriptOutcome>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Each whole line of output as it comes, clean and without secrets. */
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

/** What came of a run. A script that failed is an outcome, not an error. */
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
  /** Clean text: no control sequences, known secrets redacted. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Standard output as JSON, where it is. */
  readonly json?: unknown;
  readonly files: readonly OutputFile[];
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  /** Domains that the skill says it needs, and that it may not reach. */
  readonly wanted: readonly string[];
  /** Domains that it reached, and those that it was kept from. */
  readonly traffic: Traffic;
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export const succeeded = ({ exitCode }: Pick<ScriptOutcome, 'exitCode'>) => exitCode === 0;

/** What the audit log is told of each run, and of each refusal of a script that exists. */
export interface ScriptRecord {
  readonly principal: string;
  readonly skill: string;
  readonly digest: string;
  readonly script: string;
  /** Hex SHA-256 of the input as JSON: equal inputs are told apart from others, and none is kept. */
  readonly inputHash: string;
  readonly outcome: 'done' | 'failed' | 'killed' | 'refused';
  readonly exitCode: number | null;
  readonly killedBy: KilledBy | null;
  readonly traffic: Traffic;
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export type Confirm = 'never' | 'when-supported' | 'always';

export interface Scripts {
  /** Whether a person has to agree before a run. */
  readonly confirm: Confirm;
  /**
   * Throws `GatewayError`: those of `load`, `SCRIPT_UNKNOWN`, `SCRIPT_REFUSED`, `SCRIPT_ARGUMENTS`; its `run`
   * `SCRIPTS_BUSY`, `SCRIPTS_UNAVAILABLE`, `SCRIPT_CANCELLED`.
   */
  prepare(request: ScriptRequest, caller: Caller): Promise<PreparedRun>;
  /** Bytes of a file that a run of this principal left; null where there is none, or none any more. */
  output(uri: string, principal: Principal): { readonly bytes: Uint8Array; readonly mimeType: string } | null;
  /** Ends the runs under way and forgets all output. */
  close(): Promise<void>;
}
