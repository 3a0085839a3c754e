/**
 * Failures on the wire: for the model a result that it can act on, for programs a code with data, for the operator a
 * line in the log. The only place that turns errors of the gateway and the index into wire errors.
 */

import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { IndexError, type IndexErrorCode } from '../../index/errors.ts';
import { CodedError } from '../base/errors.ts';
import { bare, clip, count } from '../base/text.ts';
import { GatewayError, type GatewayErrorCode } from '../gateway/gateway.ts';

/** Writes one line for the operator; never to the client. */
export type Log = (message: string) => void;

/** Structured content of a failed call: `code` is stable, further fields depend on it. */
export const failureSchema = z.object({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
  }),
});

/** What an agent can do next, in terms of a profile's tools; '' if the error's own message says it. */
export type Advice = Record<GatewayErrorCode | 'MORE_CANDIDATES', string>;

/** In terms of search_skills, load_skill and read_reference. */
export const ADVICE: Advice = {
  SKILL_UNKNOWN: 'Call search_skills with what you want to do, and use the id of a hit.',
  SKILL_AMBIGUOUS: 'Their descriptions tell them apart.',
  SKILL_GONE: 'Call search_skills again: the catalog has changed.',
  SECTION_UNKNOWN: 'Call again with one of the headings, or without one.',
  PATH_UNKNOWN: 'Call again with a path that load_skill lists.',
  PATH_REFUSED: "Use a path inside the skill's folder, as load_skill lists it.",
  FILE_BINARY: '',
  FILE_TOO_LARGE: '',
  LINES_INVALID: 'Call again with lines of the file, such as "1-50".',
  REQUEST_INVALID: '',
  TOOL_REFUSED: 'Load the skill that needs it, and give the server and tool that load_skill says.',
  UPSTREAM_FAILED: '',
  TOOL_RESULT_TOO_LARGE: 'Ask for less, if its arguments allow that.',
  AUDIT_UNAVAILABLE: 'Tell the user, and go on without skills.',
  CATALOG_UNAVAILABLE: 'Call again in a few seconds, or go on without it.',
  RIGHTS_UNKNOWN: 'Tell the user, and go on without skills.',
  SCRIPT_UNKNOWN: 'Call again with one of these scripts.',
  SCRIPT_REFUSED: 'Do not try again: go on without the script, or tell the user.',
  SCRIPT_ARGUMENTS: 'Call again with other arguments.',
  SCRIPTS_BUSY: '',
  SCRIPTS_UNAVAILABLE: 'Tell the user, and go on without the script.',
  SCRIPT_CANCELLED: '',
  MORE_CANDIDATES: 'search_skills tells them apart',
};

/** The catalog cannot be searched: the user has to act, and the agent should continue its work without skills. */
export const INDEX_ADVICE: Record<IndexErrorCode, string> = {
  INDEX_MISSING: 'Tell the user to run `skillgate index`, and go on without skills.',
  INDEX_DAMAGED: 'Tell the user to run `skillgate index`, and go on without skills.',
  INDEX_FORMAT: 'Tell the user to run `skillgate index`, and go on without skills.',
  INDEX_EMBEDDER: 'Tell the user to run `skillgate index`, and go on without skills.',
  INDEX_LOCKED: 'Another process is indexing: call again in a few seconds.',
  INDEX_WRITE: 'Tell the user; go on without skills.',
  INDEX_INPUT: '',
};

/** Most entries of a list in a failure: more would bury the choice. */
const LISTED = 50;
/** Characters of a candidate's description. */
const CANDIDATE_CHARACTERS = 160;
/** Most characters of a message, which may quote what the caller sent. */
const MESSAGE_CHARACTERS = 4_000;

const candidatesSchema = z.array(z.object({ id: z.string(), description: z.string() }));

/**
 * - `NOT_READY`: the first index is still being built.
 * - `EXECUTION_DISABLED`: this server runs no scripts. `data`: skill, script.
 */
type McpErrorCode = 'NOT_READY' | 'EXECUTION_DISABLED';

class McpError extends CodedError<McpErrorCode> {
  override readonly name = 'McpError';
}

/** The answer of every method that could run a script: nothing was run. */
export const EXECUTION_DISABLED =
  'Script execution is not enabled on this server: nothing was run. Read the skill and do its steps with tools that the user has allowed, or go on without.';

export const executionDisabled = (skill: string, script: string): Error =>
  new McpError('EXECUTION_DISABLED', EXECUTION_DISABLED, { data: { skill, script } });

/** For calls that arrive before the first index exists. */
export const notReady = (): Error =>
  new McpError(
    'NOT_READY',
    'The skills are still being indexed, which happens once. Call again in a few seconds, or go on without skills.',
  );

/** A failed result for anything thrown. An unexpected error is logged with its stack; the client gets no details. */
export function toFailure(error: unknown, log: Log, advice?: Partial<Advice>): CallToolResult {
  if (error instanceof GatewayError) return gatewayFailure(error, { ...ADVICE, ...advice });
  if (error instanceof IndexError) {
    log(`${error.code}: ${error.message}`);
    return failure(error.code, [error.message, INDEX_ADVICE[error.code]]);
  }
  if (error instanceof McpError) return failure(error.code, [error.message], error.data);
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return failure('INTERNAL', [
    'skillgate failed unexpectedly; its log on stderr says why. Go on without skills.',
  ]);
}

/** The context that the SDK gives a handler; null for a completion, whose handler gets none, and outside of a request. */
export type RequestContext = { readonly mcpReq: { readonly signal: AbortSignal } } | null;
/** Opens the gateway that answers a request. */
export type OpenFor<Opened> = (request: RequestContext) => Promise<Opened>;

/** Answers a request from the gateway, once it is open; whatever fails is rethrown as `toError` converts it. */
export const answering =
  <Open>(gateway: OpenFor<Open>, toError: (error: unknown) => Error) =>
  async <Result>(request: RequestContext, work: (open: Open) => Promise<Result>): Promise<Result> => {
    try {
      return await work(await gateway(request));
    } catch (error) {
      throw toError(error);
    }
  };

/** The JSON-RPC error for anything that a method throws. Tools return `failureOf` instead. */
export function toProtocolError(error: unknown, log: Log): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof GatewayError)
    return new ProtocolError(ProtocolErrorCode.InvalidParams, clip(error.message, MESSAGE_CHARACTERS), {
      code: error.code,
    });
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    error instanceof IndexError ? clip(error.message, MESSAGE_CHARACTERS) : 'skillgate failed unexpectedly.',
  );
}

function gatewayFailure(error: GatewayError, advice: Advice): CallToolResult {
  const candidates = candidatesSchema.safeParse(error.data.candidates);
  if (!candidates.success) return failure(error.code, [error.message, advice[error.code]], error.data);
  const listed = candidates.data
    .slice(0, LISTED)
    .map(({ id, description }) => ({ id, description: clip(description, CANDIDATE_CHARACTERS) }));
  const lines = listed.map(({ id, description }) => `- ${bare(id)}: ${description}`);
  const rest = candidates.data.length - listed.length;
  if (rest > 0) lines.push(`- and ${count(rest)} more: ${advice.MORE_CANDIDATES}`);
  return failure(
    error.code,
    [error.message, advice[error.code]],
    { ...error.data, candidates: listed },
    lines,
  );
}

function failure(
  code: string,
  sentences: readonly string[],
  data: Readonly<Record<string, unknown>> = {},
  lines: readonly string[] = [],
): CallToolResult {
  const message = clip(sentences.filter((sentence) => sentence !== '').join(' '), MESSAGE_CHARACTERS);
  const error = { ...wireData(data), code, message };
  return {
    isError: true,
    content: [{ type: 'text', text: [message, ...lines].join('\n') }],
    structuredContent: { error },
  };
}

/** The error's data with wire names and shortened lists. */
function wireData(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [snakeCase(key), Array.isArray(value) ? value.slice(0, LISTED) : value]),
  );
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
