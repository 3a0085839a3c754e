/**
 * The MCP endpoint: authenticates the caller, checks its limits, reads the body, sends the SDK's answer, each within its
 * limits. Requests are classified by their body, not by headers. The SDK and the server handle the messages.
 */

import type { IncomingMessage } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { ChangeBus } from '../../src/app/extension-api.ts';
import { untilAborted } from '../../src/base/timing.ts';
import { toPrincipal } from '../../src/mcp/principal.ts';
import { longPathIn, paramsFault } from '../../src/mcp/request-params.ts';
import { acceptedBy, acceptHeader, asJson } from './accept.ts';
import type { Admission } from './admission.ts';
import { answerRpcError, type Headers, Refusal, rpcErrorEvent, send } from './answer.ts';
import {
  asksFor,
  type Body,
  cancelsItself,
  MAX_LEVELS,
  messagesIn,
  readBody,
  readRequestId,
  requestIdsIn,
} from './body.ts';
import type { Mcp } from './eras.ts';
import type { Exchange } from './exchange.ts';
import type { Caller, Exhausted, RateLimiter } from './rate-limits.ts';
import { type Concurrency, nextTurn, type OpenRequests, type TokenWatch } from './requests.ts';
import type { HttpLimits } from './settings.ts';

/** JSON-RPC codes: the SDK's timeout, and the standard's. */
const TIMED_OUT = -32_001;
const INVALID_PARAMS = -32_602;
const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;
/** Retry-After where other calls or streams of the caller have to end first, s. */
const BUSY_RETRY_S = 1;

export interface EndpointOptions {
  readonly mcp: Pick<Mcp, 'fetch'>;
  /** The local user has no limits of its own. */
  readonly admission: Admission;
  readonly limiter: RateLimiter;
  readonly calls: Concurrency;
  readonly streams: Concurrency;
  readonly tokens: TokenWatch | null;
  readonly openRequests: OpenRequests;
  readonly limits: HttpLimits;
  /** Assigns the subscriptions of a request to its principal. */
  readonly changes: ChangeBus | undefined;
  readonly log: (message: string) => void;
}

/** Answers one request; every answer gets `headers`. Rejects only for internal errors. */
export async function serveMcp(
  exchange: Exchange,
  options: EndpointOptions,
  headers: Headers,
): Promise<void> {
  const { response } = exchange;
  const { admission, limits, log } = options;
  const admitted = await admission.admit(exchange, headers);
  if (admitted === null) return;
  const { authInfo } = admitted;
  const principal = toPrincipal(authInfo);
  exchange.principal = principal.id;
  const caller = authInfo === undefined ? null : { principal, address: exchange.address };
  let body: Body | undefined;
  try {
    body = await received(exchange, caller, options);
    checkBatch(exchange.request, body);
    await accepted(body, caller, options);
    await answered(exchange, { authInfo, caller, body }, options, headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, status, code, message, data } = error;
    exchange.rejected(reason);
    if (reason === 'response')
      log(
        `An answer was larger than ${limits.maxResponseBytes} bytes and was not sent (limits.maxResponse).`,
      );
    const failure = {
      id: body === undefined ? null : readRequestId(body),
      code,
      message,
      data,
    };
    // A stream that has started ends with the error as its last event.
    if (response.headersSent) response.end(rpcErrorEvent(failure));
    else answerRpcError(response, status, failure, { ...headers, ...error.headers });
  }
}

/** The body, within the caller's limits. Throws `Refusal`. */
export async function received(
  exchange: Exchange,
  caller: Caller | null,
  { limiter, limits: { maxBodyBytes } }: Pick<EndpointOptions, 'limiter' | 'limits'>,
): Promise<Body> {
  if (caller !== null) within(await limiter.calls(caller, 1));
  let exhausted: Exhausted | null = null;
  const body = await readBody(exchange.request, maxBodyBytes, async (bytes) => {
    exchange.bytesIn += bytes;
    exhausted = caller === null ? null : await limiter.bytes(caller, bytes);
    return exhausted === null;
  });
  within(exhausted);
  if (body === null)
    throw new Refusal('body', 413, `The request is larger than ${maxBodyBytes} bytes.`, {
      headers: { connection: 'close' },
    });
  return body;
}

/** Revisions with batches; the header came after them. */
const BATCHING = ['2024-11-05', '2025-03-26'];

/** Throws `Refusal`. */
function checkBatch({ headers }: IncomingMessage, { json }: Body): void {
  const revision = headers['mcp-protocol-version'];
  if (!Array.isArray(json) || typeof revision !== 'string' || BATCHING.includes(revision)) return;
  const message = `Revision ${revision} has no batches: send one message per request.`;
  throw new Refusal('batch', 400, message, { code: INVALID_REQUEST });
}

/** Checks the messages before any work, and counts them as the caller's. Throws `Refusal`. */
async function accepted(body: Body, caller: Caller | null, { limiter }: EndpointOptions): Promise<void> {
  checkBody(body);
  const more = messagesIn(body) - 1;
  if (caller !== null && more > 0) within(await limiter.calls(caller, more));
}

/** Throws `Refusal` for what is no JSON, costs too much, or would never be answered. */
export function checkBody(body: Body): void {
  if (body.text !== '' && body.json === undefined)
    throw new Refusal('json', 400, `The body is not JSON, or nested more than ${MAX_LEVELS} levels deep.`, {
      code: PARSE_ERROR,
    });
  const longPath = longPathIn(body.json);
  if (longPath !== undefined) throw new Refusal('path', 400, longPath, { code: INVALID_PARAMS });
  const fault = paramsFault(body.json);
  // An answer to a message, not a failure of HTTP: clients read the code only of a 200.
  if (fault !== undefined) throw new Refusal('params', 200, fault, { code: INVALID_PARAMS });
  if (cancelsItself(body))
    throw new Refusal('cancelled', 400, 'A batch must not cancel its own requests: leave them out.', {
      code: INVALID_REQUEST,
    });
}

interface Call {
  readonly authInfo: AuthInfo | undefined;
  readonly caller: Caller | null;
  readonly body: Body;
}

async function answered(
  exchange: Exchange,
  { authInfo, caller, body }: Call,
  options: EndpointOptions,
  headers: Headers,
): Promise<void> {
  const { request, response } = exchange;
  const { limits, limiter } = options;
  const asksForStream =
    request.method === 'GET' || (!Array.isArray(body.json) && asksFor(body.json, 'subscriptions/listen'));
  if (caller !== null) take(exchange, caller, body, asksForStream, options);
  const deadline = startDeadline(limits.requestTimeoutMs);
  const gone = () => deadline.cancel();
  response.once('close', gone);
  endWithToken(exchange, authInfo, options, headers);
  try {
    const sent = await fetchAnswer(request, { authInfo, caller, body }, options, deadline);
    const answer = acceptedBy(request.headers.accept).stream ? sent : await asJson(sent);
    // The client has gone, or its token has ended: the body is not read, so that its work ends.
    if (response.headersSent || response.destroyed) return void answer.body?.cancel().catch(() => {});
    if (asksForStream && answer.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      deadline.stop();
      options.openRequests.forget(response);
      exchange.isStream = true;
    }
    await send(answer, response, {
      maxBytes: limits.maxResponseBytes,
      headers,
      async admit(bytes) {
        if (caller !== null) within(await limiter.bytes(caller, bytes));
        exchange.bytesOut += bytes;
      },
      last() {
        if (!deadline.expired.aborted) return '';
        exchange.rejected('timeout');
        const { code, message } = tooLate(limits);
        return rpcErrorEvent({ id: readRequestId(body), code, message });
      },
    });
  } finally {
    deadline.stop();
    response.off('close', gone);
    // Whatever is not answered by now is not wanted any more.
    deadline.cancel();
  }
}

/** Ends the exchange when its token expires or is revoked. */
function endWithToken(
  exchange: Exchange,
  authInfo: AuthInfo | undefined,
  { tokens }: EndpointOptions,
  headers: Headers,
): void {
  if (authInfo === undefined) return;
  const { response } = exchange;
  tokens?.add(authInfo, response, () => {
    exchange.rejected('revoked');
    if (response.headersSent) response.destroy();
    else answerRpcError(response, 401, REVOKED, { ...headers, connection: 'close' });
  });
}

/** Rejects with `Refusal` at the deadline. */
async function fetchAnswer(
  request: IncomingMessage,
  { authInfo, body }: Call,
  { mcp, changes, limits }: EndpointOptions,
  deadline: Deadline,
): Promise<Response> {
  const fetch = () =>
    mcp.fetch(webRequest(request, body, deadline.cancelled), {
      authInfo,
      parsedBody: body.json,
      ended: deadline.cancelled,
      onAsking: (asking) => (asking ? deadline.stop() : deadline.start()),
    });
  // One call after another: however many came at once, other events have their turn in between.
  await nextTurn();
  const answer = changes?.during(toPrincipal(authInfo), fetch) ?? fetch();
  return untilAborted(answer, deadline.expired).catch((error: unknown) => {
    throw deadline.expired.aborted ? tooLate(limits) : error;
  });
}

export const tooLate = ({ requestTimeoutMs }: EndpointOptions['limits']) =>
  new Refusal(
    'timeout',
    504,
    `The answer took longer than ${requestTimeoutMs / 1_000} s and was cancelled.`,
    { code: TIMED_OUT },
  );

type Deadline = ReturnType<typeof startDeadline>;

const REVOKED = { code: -32_000, message: 'The token has expired or was revoked.' };

/** Counts the calls of the body, or the stream, as the caller's. Throws `Refusal` above its limits. */
function take(
  { response }: Exchange,
  { principal }: Caller,
  { json }: Body,
  isStream: boolean,
  { calls, streams }: EndpointOptions,
): void {
  const headers = { 'retry-after': String(BUSY_RETRY_S) };
  if (isStream) {
    if (streams.take(principal, 1, response)) return;
    throw new Refusal('streams', 429, `This caller already has ${streams.most} open streams.`, {
      headers,
    });
  }
  if (calls.take(principal, requestIdsIn(json).length, response)) return;
  throw new Refusal(
    'in-flight',
    429,
    `This caller may have ${calls.most} calls at once (limits.callsInFlight). Wait for an answer, then call again.`,
    { data: { retryAfter: BUSY_RETRY_S }, headers },
  );
}

/** Throws `Refusal` where a limit is exhausted. */
export function within(exhausted: Exhausted | null): void {
  if (exhausted === null) return;
  const { what, limit, retryAfterS } = exhausted;
  const message = `More than ${limit} ${what} per minute. Try again in ${retryAfterS} s.`;
  throw new Refusal(`rate-${what.split(' ', 1)[0]}`, 429, message, {
    data: { retryAfter: retryAfterS },
    headers: { 'retry-after': String(retryAfterS) },
  });
}

/** `expired` aborts after `ms`. `cancelled` aborts then too, or at `cancel()`. */
function startDeadline(ms: number) {
  const expiry = new AbortController();
  const cancellation = new AbortController();
  const expire = () => {
    // In this order: the answer is a timeout, not the failure of the cancelled work.
    expiry.abort();
    cancellation.abort();
  };
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(expire, ms);
  };
  start();
  return {
    expired: expiry.signal,
    cancelled: cancellation.signal,
    cancel: () => cancellation.abort(),
    /** Users may take their time to answer: from the start again after that. */
    start,
    stop,
  };
}

/** The request as a web `Request` for the SDK, which uses neither host nor path; its body has been read. */
export function webRequest(request: IncomingMessage, body: Body, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one);
  const method = request.method ?? 'POST';
  const needsStream = method === 'GET' || asksFor(body.json, 'subscriptions/listen');
  const accept = acceptHeader(acceptedBy(request.headers.accept), needsStream);
  if (accept !== undefined) headers.set('accept', accept);
  const hasBody = method === 'POST' && body.text !== '';
  return new Request('http://localhost/', {
    method,
    headers,
    signal,
    ...(hasBody ? { body: body.text } : {}),
  });
}
