/** Draft A's `skills/execute` on a server that runs scripts: output as content, a failure as the draft's error. */

import { type McpServer, ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { type Gateway, GatewayError } from '../../../src/gateway/gateway.ts';
import { normalised } from '../../../src/mcp/tools/arguments.ts';
import { exitSentence, outputFirst, tailOf } from '../../scripts/mcp/script-answer.ts';
import { runForDraft } from '../../scripts/mcp/script-run.ts';
import { type Scripts, succeeded } from '../../scripts/scripts.ts';
import { SCRIPT_FAILED } from './errors.ts';

interface Execution {
  readonly name: string;
  readonly script: string;
  /** As the client sent it. */
  readonly given: unknown;
  readonly gateway: Pick<Gateway, 'find'>;
  readonly scripts: Scripts;
  readonly server: McpServer;
  readonly ctx: ServerContext;
}

/** Throws -32003 for a script that failed; `data` holds name, script, exit code and the end of both outputs. */
export async function execute({ name, script, given = {}, ...call }: Execution) {
  const outcome = await runForDraft({
    ...call,
    request: { skill: name, script, input: { kind: 'named', values: valuesOf(given) } },
  });
  if (succeeded(outcome)) return { content: outputFirst(outcome), isError: false };
  throw new ProtocolError(SCRIPT_FAILED, exitSentence(outcome), {
    name,
    script: outcome.path,
    exitCode: outcome.exitCode,
    killedBy: outcome.killedBy,
    stdout: tailOf(outcome.stdout),
    stderr: tailOf(outcome.stderr),
  });
}

function valuesOf(given: unknown): Readonly<Record<string, unknown>> {
  const values = normalised(given, {});
  if (typeof values === 'object' && values !== null && !Array.isArray(values))
    return Object.fromEntries(Object.entries(values));
  throw new GatewayError('SCRIPT_ARGUMENTS', '`arguments` must be an object.');
}
