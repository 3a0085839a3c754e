/** The audit record of a run or of a refusal: who, what, how it ended, and a hash of the input. */

import { NO_TRAFFIC, type Traffic } from '../../src/base/net/proxy.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import type { ScriptInput, ScriptRecord } from '../../src/gateway/scripts.ts';
import { loggable } from '../../src/serve/telemetry/redact.ts';
import { sha256Of } from '../../src/skills/digest.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import type { RunResult } from './sandbox/sandbox.ts';

interface Recorded {
  readonly entry: CatalogEntry;
  readonly path: string;
  readonly input: ScriptInput;
}

/** `result` is null where the run was refused. */
export function recordOf(
  { id: principal }: Principal,
  { entry, path, input }: Recorded,
  result: RunResult | null,
  traffic: Traffic = NO_TRAFFIC,
): ScriptRecord {
  return {
    principal,
    skill: entry.id,
    digest: entry.digest,
    script: path,
    inputHash: sha256Of(Buffer.from(JSON.stringify(hashed(input)))),
    // Options are recognised behind a space.
    parameters: loggable(input.kind === 'named' ? input.values : ` ${input.words.join(' ')}`),
    outcome: outcomeIn(result),
    exitCode: result?.exitCode ?? null,
    killedBy: result?.killedBy ?? null,
    traffic,
    durationMs: Math.round(result?.wallMs ?? 0),
    cpuMs: result?.cpuMs ?? 0,
    peakBytes: result?.peakBytes ?? 0,
  };
}

function outcomeIn(result: RunResult | null): ScriptRecord['outcome'] {
  if (result === null) return 'refused';
  if (result.killedBy !== null) return 'killed';
  return result.exitCode === 0 ? 'done' : 'failed';
}

/** The input as JSON, with hashes in place of bytes. */
function hashed(input: ScriptInput): unknown {
  if (input.kind === 'named') return input.values;
  const { words, stdin, files } = input;
  return { words, stdin: sha256Of(stdin), files: files.map(({ path, bytes }) => [path, sha256Of(bytes)]) };
}
