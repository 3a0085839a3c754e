/** Draft A's `skills/execute` on a server that runs scripts: output as content, a failure as the draft's error. */

import { ProtocolError } from '@modelcontextprotocol/server';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { succeeded } from '../../../src/gateway/scripts.ts';
import type { ScriptCall, ScriptTools } from '../../../src/mcp/script-tools.ts';
import { normalised } from '../../../src/mcp/tools/arguments.ts';

import { SCRIPT_FAILED } from './errors.ts';

interface Execution extends Omit<ScriptCall, 'request'> {
  readonly name: string;
  readonly script: string;
  /** As the client sent it. */
  readonly given: unknown;
  readonly scripts: ScriptTools;
}

/** Throws -32003 for a script that failed; `data` holds name, script, exit code and the end of both outputs. */
export async function execute({ name, script, given = {}, scripts, ...call }: Execution) {
  const { outcome, content, sentence, ends } = await scripts.runForDraft({
    ...call,
    request: { skill: name, script, input: { kind: 'named', values: valuesOf(given) } },
  });
  if (succeeded(outcome)) return { content, isError: false };
  throw new ProtocolError(SCRIPT_FAILED, sentence, {
    name,
    script: outcome.path,
    exitCode: outcome.exitCode,
    killedBy: outcome.killedBy,
    ...ends,
  });
}

function valuesOf(given: unknown): Readonly<Record<string, unknown>> {
  const values = normalised(given, {});
  if (typeof values === 'object' && values !== null && !Array.isArray(values))
    return Object.fromEntries(Object.entries(values));
  throw new GatewayError('SCRIPT_ARGUMENTS', '`arguments` must be an object.');
}
