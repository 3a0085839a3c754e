/**
 * The MCP endpoint: authenticates the caller, checks its rate limits, reads the body, sends the SDK's answer, each within
 * its limits. The SDK and the server handle the messages.
 */

import type { IncomingMessage } from 'node:http';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import { type ChangeBus, principalOf } from '../mcp/public.ts';
import { untilAborted } from '../timing/public.ts';
import { answerRpcError, type Headers, ResponseError, rpcErrorEvent, send } from './answer.ts';
import type { Authenticator } from './auth/authenticate.ts';
import { type Body, messagesIn, readBody, requestIdOf } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Exhausted, RateLimiter } from './rate-limits.ts';
import { isSubscription, type Subscriptions } from './requests.ts';
import type { HttpLimits } from './settings.ts';

/** JSON-RPC codes: a general server error, the SDK's timeout, and an internal error. */
const SERVER_ERROR = -32_000;
const TIMED_OUT = -32_001;
const INTERNAL_ERROR = -32_603;

interface EndpointOptions {
  readonly mcp: Pick<McpHttpHandler, 'fetch'>;
  /** Null: every caller is the local user and has no rate limits. */
  readonly auth: Authenticator | null;
  readonly limiter: RateLimiter;
  readonly subscriptions: Subscriptions;
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
  const { request, response } = exchange;
  const { auth, limiter, limits } = options;
  const admitted = await auth?.admit(request.headers.authorization);
  if (admitted !== undefined && 'response' in admitted) {
    exchange.rejected(admitted.reason);
    await send(admitted.response, response, { maxBytes: limits.maxResponseBytes, headers });
    return;
  }
  const authInfo = admitted?.authInfo;
  const principal = principalOf(authInfo);
  exchange.principal = principal.id;
  const refuse = (exhausted: Exhausted | null) => exhausted !== null && tooMany(exchange, exhausted, headers);
  if (auth !== null && refuse(await limiter.calls(principal, 1))) return;
  if (isSubscription(request) && auth !== null && !options.subscriptions.add(principal.id, response))
    return reject(exchange, 'subscriptions', 429, 'This caller has too many open streams.', headers);
  const body = await readBody(request, limits.maxBodyBytes);
  if (body === null) {
    const message = `The request is larger than ${limits.maxBodyBytes} bytes.`;
    return reject(exchange, 'body', 413, message, { ...headers, connection: 'close' });
  }
  exchange.bytesIn = body.bytes;
  if (auth !== null && messagesIn(body) > 1 && refuse(await limiter.calls(principal, messagesIn(body) - 1)))
    return;
  await answered(exchange, body, authInfo, options, headers);
  if (auth !== null) await limiter.bytes(principal, exchange.bytesIn + exchange.bytesOut);
}

async function answered(
  exchange: Exchange,
  body: Body,
  authInfo: AuthInfo | undefined,
  { mcp, limits, changes, log }: EndpointOptions,
  headers: Headers,
): Promise<void> {
  const { request, response } = exchange;
  const deadline = startDeadline(isSubscription(request) ? null : limits.requestTimeoutMs);
  const gone = () => deadline.cancel();
  response.once('close', gone);
  try {
    const fetch = () =>
      mcp.fetch(webRequest(request, body, deadline.cancelled), {
        ...(authInfo === undefined ? {} : { authInfo }),
        ...(body.json === undefined ? {} : { parsedBody: body.json }),
      });
    const asked = changes?.during(principalOf(authInfo), fetch) ?? fetch();
    const message = `The answer took longer than ${limits.requestTimeoutMs / 1_000} s and was cancelled.`;
    const late = { id: requestIdOf(body), code: TIMED_OUT, message };
    const answer = await untilAborted(asked, deadline.expired).catch((error: unknown) => {
      if (deadline.expired.aborted) return null;
      throw error;
    });
    if (answer === null) {
      exchange.rejected('timeout');
      return answerRpcError(response, 504, late, headers);
    }
    // A stream that has started ends with the error as its last event.
    const last = () => {
      if (!deadline.expired.aborted) return '';
      exchange.rejected('timeout');
      return rpcErrorEvent(late);
    };
    exchange.bytesOut = await send(answer, response, { maxBytes: limits.maxResponseBytes, headers, last });
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    exchange.rejected('response');
    log(`An answer was larger than ${limits.maxResponseBytes} bytes and was not sent (limits.maxResponse).`);
    const message = `The answer is larger than ${limits.maxResponseBytes} bytes. Ask for less.`;
    const failure = { id: requestIdOf(body), code: INTERNAL_ERROR, message };
    if (response.headersSent) response.end(rpcErrorEvent(failure));
    else answerRpcError(response, 500, failure, headers);
  } finally {
    deadline.stop();
    response.off('close', gone);
  }
}

function tooMany(exchange: Exchange, { what, limit, retryAfterS }: Exhausted, headers: Headers): true {
  exchange.rejected(`rate-${what}`);
  const message = `More than ${limit} ${what} per minute. Try again in ${retryAfterS} s.`;
  const error = { code: SERVER_ERROR, message, data: { retryAfter: retryAfterS } };
  answerRpcError(exchange.response, 429, error, { ...headers, 'retry-after': String(retryAfterS) });
  return true;
}

function reject(exchange: Exchange, reason: string, status: number, message: string, headers: Headers): void {
  exchange.rejected(reason);
  answerRpcError(exchange.response, status, { code: SERVER_ERROR, message }, headers);
}

/** `expired` aborts after `ms`, or never for null. `cancelled` aborts then too, or at `cancel()`. */
function startDeadline(ms: number | null) {
  const expiry = new AbortController();
  const cancellation = new AbortController();
  const expire = () => {
    // In this order: the answer is a timeout, not the failure of the cancelled work.
    expiry.abort();
    cancellation.abort();
  };
  const timer = ms === null ? undefined : setTimeout(expire, ms);
  return {
    expired: expiry.signal,
    cancelled: cancellation.signal,
    cancel: () => cancellation.abort(),
    stop: () => clearTimeout(timer),
  };
}

/** The request as a web `Request` for the SDK; its body has been read. */
export function webRequest(request: IncomingMessage, body: Body, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one);
  const method = request.method ?? 'POST';
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.text !== '';
  return new Request(`http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: body.text } : {}),
  });
}
