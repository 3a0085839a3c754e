/**
 * One run of a script for a client, whichever dialect asked: a person's agreement where it is wanted, output while it
 * runs, cancelling. What it answers in which shape is for the tools and the drafts.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Gateway, GatewayError } from '../gateway/gateway.ts';
import type { PreparedRun, ScriptOutcome, ScriptRequest, Scripts } from '../gateway/scripts/scripts.ts';
import { sha256Of } from '../skills/digest.ts';
import { principalOf } from './principal.ts';
import { clip, quote } from './text.ts';

/** Opens the scripts, or gives those that are open. */
export type OpenScripts = () => Promise<Scripts>;

export interface ScriptCall {
  readonly request: ScriptRequest;
  readonly gateway: Pick<Gateway, 'load'>;
  readonly scripts: Scripts;
  readonly server: McpServer;
  readonly ctx: ServerContext;
}

/** Time between two notifications, ms: output may come faster than anybody reads. */
const PAUSE_MS = 100;
const LINE_CHARACTERS = 400;
const COMMAND_CHARACTERS = 600;
const agreement = z.object({
  run: z.boolean().meta({ title: 'Run it', description: 'Runs the script, this once' }),
});

/**
 * For tools: the outcome, or the question that the client has to answer first. The SDK asks it at once where the
 * connection's revision knows no such answers.
 */
export async function runForTool(call: ScriptCall): Promise<ScriptOutcome | InputRequiredResult> {
  const prepared = await prepare(call);
  const key = keyOf(prepared, call.request);
  if (mustAsk(call)) {
    const answer = inputResponse(call.ctx.mcpReq.inputResponses, key);
    if (answer.kind === 'missing')
      return inputRequired({
        inputRequests: {
          [key]: inputRequired.elicit({ message: questionOf(prepared), requestedSchema: agreement }),
        },
      });
    if (answer.kind !== 'elicit' || !agrees(answer)) throw notAgreed(prepared);
  }
  return perform(prepared, call);
}

/** For methods of the older drafts, whose connections let a server ask while a call is under way. */
export async function runForDraft(call: ScriptCall): Promise<ScriptOutcome> {
  const prepared = await prepare(call);
  if (mustAsk(call)) {
    const asked = await call.ctx.mcpReq.elicitInput({
      message: questionOf(prepared),
      requestedSchema: {
        type: 'object',
        properties: { run: { type: 'boolean', title: 'Run it', description: 'Runs the script, this once' } },
        required: ['run'],
      },
    });
    if (!agrees(asked)) throw notAgreed(prepared);
  }
  return perform(prepared, call);
}

const prepare = ({ request, scripts, gateway, ctx }: ScriptCall) =>
  scripts.prepare(request, { principal: principalOf(ctx.http?.authInfo), gateway });

/** Whether this client is asked. Throws where it would have to be and cannot. */
function mustAsk({ scripts: { confirm }, server, ctx }: ScriptCall): boolean {
  if (confirm === 'never') return false;
  const asks = canAsk(ctx, server);
  if (!asks && confirm === 'always')
    throw new GatewayError(
      'SCRIPT_REFUSED',
      'Nothing was run: here a person has to agree to each run (scripts.confirm: always), and this client cannot ask one (it lacks elicitation).',
    );
  return asks;
}

/** What a client says of itself with each call, or, on older revisions, once for the connection. */
const envelopeSchema = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  }),
});

function canAsk({ mcpReq }: ServerContext, { server }: McpServer): boolean {
  const envelope = envelopeSchema.safeParse(mcpReq.envelope);
  const { elicitation } = envelope.success
    ? envelope.data[CLIENT_CAPABILITIES_META_KEY]
    : (server.getClientCapabilities() ?? {});
  // Without modes it means forms: they came first.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** An agreement holds for one skill as it is now, one script and one input. */
function keyOf({ skill, digest, path }: PreparedRun, { input }: ScriptRequest): string {
  const said = input.kind === 'named' ? input.values : input.words;
  return `run-${sha256Of(Buffer.from(JSON.stringify([skill, digest, path, said]))).slice(0, 32)}`;
}

function questionOf({ skill, path, digest, command, domains }: PreparedRun): string {
  const network =
    domains.length === 0 ? 'without network' : `that may reach ${domains.map(quote).join(', ')}`;
  const words = command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(' ');
  return `Run ${quote(path)} of the skill ${quote(skill)} (digest ${digest.slice(0, 12)}) in a sandbox ${network}? It runs: ${clip(words, COMMAND_CHARACTERS)}`;
}

function agrees(answer: { readonly action?: unknown; readonly content?: unknown }): boolean {
  const content = agreement.safeParse(answer.content);
  return answer.action === 'accept' && content.success && content.data.run;
}

const notAgreed = ({ skill, path }: PreparedRun) =>
  new GatewayError(
    'SCRIPT_CANCELLED',
    `The user did not agree to running ${quote(path)} of ${skill}: nothing was run.`,
    {
      skill,
    },
  );

function perform(prepared: PreparedRun, { ctx }: ScriptCall): Promise<ScriptOutcome> {
  return prepared.run({ signal: ctx.mcpReq.signal, onLine: teller(ctx) });
}

/** Sends lines of output as progress where the caller asked for it; some are passed over where they come fast. */
function teller({ mcpReq }: ServerContext): (stream: 'stdout' | 'stderr', line: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let [progress, last] = [0, Number.NEGATIVE_INFINITY];
  return (stream, line) => {
    progress += 1;
    const now = performance.now();
    if (now - last < PAUSE_MS || mcpReq.signal.aborted) return;
    last = now;
    const message = `${stream === 'stderr' ? 'stderr: ' : ''}${clip(line, LINE_CHARACTERS)}`;
    // A client that is gone misses it: the call itself ends by its own way.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => {});
  };
}
