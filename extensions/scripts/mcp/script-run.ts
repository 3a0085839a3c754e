/**
 * One run of a script for a client: the user's consent if required, progress with its output, cancellation. The tools
 * and the drafts decide the shape of the answer.
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
import type { ScriptCall as Call } from '../../../src/app/extension-api.ts';
import { clip, quote } from '../../../src/base/text.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import type { PreparedRun, ScriptOutcome, ScriptRequest, Scripts } from '../../../src/gateway/scripts.ts';
import { toPrincipal } from '../../../src/mcp/principal.ts';
import { hashBytes } from '../../../src/skills/digest.ts';

interface ScriptCall extends Call {
  readonly scripts: Scripts;
}

/** Least time between two notifications, ms: output may come faster than anyone reads. */
const INTERVAL_MS = 100;
const LINE_CHARACTERS = 400;
const COMMAND_CHARACTERS = 600;
/** How long a user may take to answer, ms: as long as the SDK gives for the question of a tool. */
const ANSWER_MS = 600_000;
const consent = z.object({
  run: z.boolean().meta({ title: 'Run it', description: 'Runs the script, this once' }),
});

/**
 * For tools: the outcome, or the question that the client has to answer first. On revisions without such results the
 * SDK asks immediately.
 */
export async function runForTool(call: ScriptCall): Promise<ScriptOutcome | InputRequiredResult> {
  const prepared = await prepare(call);
  const key = approvalKey(prepared, call.request);
  if (mustAsk(call)) {
    const answer = inputResponse(call.ctx.mcpReq.inputResponses, key);
    if (answer.kind === 'missing')
      return inputRequired({
        inputRequests: {
          [key]: inputRequired.elicit({ message: formatQuestion(prepared), requestedSchema: consent }),
        },
      });
    if (answer.kind !== 'elicit' || !consents(answer)) throw declined(prepared);
  }
  return perform(prepared, call);
}

/** For methods of the older drafts, whose revisions let a server ask during a call. */
export async function runForDraft(call: ScriptCall): Promise<ScriptOutcome> {
  const prepared = await prepare(call);
  if (mustAsk(call)) {
    const { mcpReq } = call.ctx;
    const asked = await mcpReq.elicitInput(
      {
        message: formatQuestion(prepared),
        requestedSchema: {
          type: 'object',
          properties: {
            run: { type: 'boolean', title: 'Run it', description: 'Runs the script, this once' },
          },
          required: ['run'],
        },
      },
      // On the stream of this call: clients need not have another.
      { relatedRequestId: mcpReq.id, signal: mcpReq.signal, timeout: ANSWER_MS },
    );
    if (!consents(asked)) throw declined(prepared);
  }
  return perform(prepared, call);
}

const prepare = ({ request, scripts, gateway, ctx }: ScriptCall) =>
  scripts.prepare(request, { principal: toPrincipal(ctx.http?.authInfo), gateway });

/** Whether to ask this client. Throws if consent is required and the client cannot ask its user. */
function mustAsk({ scripts: { confirm }, server, ctx }: ScriptCall): boolean {
  if (confirm === 'never') return false;
  const asks = canAsk(ctx, server);
  if (!asks && confirm === 'always')
    throw new GatewayError(
      'SCRIPT_REFUSED',
      `Nothing was run: the user has to agree to each run (scripts.confirm: always), and this client cannot ask (${isOutside(ctx, server) ? 'it calls outside of a session: initialize declares elicitation, and its Mcp-Session-Id belongs to each call' : 'it lacks elicitation'}).`,
    );
  return asks;
}

/** A client's capabilities: sent with each call, on older revisions once per connection. */
const envelopeSchema = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  }),
});

/** Over HTTP on older revisions, a call without a session id: no one has said what the client can do. */
const isOutside = ({ http, mcpReq }: ServerContext, { server }: McpServer): boolean =>
  http !== undefined && mcpReq.envelope === undefined && server.getClientCapabilities() === undefined;

function canAsk({ mcpReq }: ServerContext, { server }: McpServer): boolean {
  const envelope = envelopeSchema.safeParse(mcpReq.envelope);
  const { elicitation } = envelope.success
    ? envelope.data[CLIENT_CAPABILITIES_META_KEY]
    : (server.getClientCapabilities() ?? {});
  // No mode means forms, the only mode of the first revision with elicitation.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Consent is valid for one version of a skill, one script and one input. */
function approvalKey({ skill, digest, path }: PreparedRun, { input }: ScriptRequest): string {
  const given = input.kind === 'named' ? input.values : input.words;
  return `run-${hashBytes(Buffer.from(JSON.stringify([skill, digest, path, given]))).slice(0, 32)}`;
}

function formatQuestion({ skill, path, digest, command, domains }: PreparedRun): string {
  const network =
    domains.length === 0 ? 'without network' : `that may reach ${domains.map(quote).join(', ')}`;
  const words = command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(' ');
  return `Run ${quote(path)} of the skill ${quote(skill)} (digest ${digest.slice(0, 12)}) in a sandbox ${network}? It runs: ${clip(words, COMMAND_CHARACTERS)}`;
}

function consents(answer: { readonly action?: unknown; readonly content?: unknown }): boolean {
  const content = consent.safeParse(answer.content);
  return answer.action === 'accept' && content.success && content.data.run;
}

const declined = ({ skill, path }: PreparedRun) =>
  new GatewayError(
    'SCRIPT_CANCELLED',
    `The user did not agree to running ${quote(path)} of ${skill}: nothing was run.`,
    {
      data: {
        skill,
      },
    },
  );

function perform(prepared: PreparedRun, { ctx }: ScriptCall): Promise<ScriptOutcome> {
  return prepared.run({ signal: ctx.mcpReq.signal, onLine: reportProgress(ctx) });
}

/** Sends lines of output as progress if the caller asked for it; skips lines that come too fast. */
function reportProgress({ mcpReq }: ServerContext): (stream: 'stdout' | 'stderr', line: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let [progress, last] = [0, Number.NEGATIVE_INFINITY];
  return (stream, line) => {
    progress += 1;
    const now = performance.now();
    if (now - last < INTERVAL_MS || mcpReq.signal.aborted) return;
    last = now;
    const message = `${stream === 'stderr' ? 'stderr: ' : ''}${clip(line, LINE_CHARACTERS)}`;
    // If the client is gone, the call itself ends on its own.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => {});
  };
}
