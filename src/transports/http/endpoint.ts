/**
 * The MCP endpoint: who asks, whether they may ask now, what they ask within its limits, the SDK's answer within its
 * own. Reads in this order; what the messages mean is the SDK's and the server's.
 */

import type { IncomingMessage } from 'node:http';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { ChangeBus } from '../../mcp/change-bus.ts';
import { principalOf } from '../../mcp/principal.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { answerRpcError, type Headers, ResponseTooLong, send } from './answer.ts';
import { type Body, messagesIn, readBody, requestIdOf } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Exhausted, RateLimiter } from './rate-limits.ts';
import { isSubscription, type Subscriptions } from './requests.ts';
import type { HttpLimits } from './settings.ts';

/** Server errors of no further meaning in JSON-RPC, and the SDK's for a request that took too long. */
const SERVER_ERROR = -32_000;
const TIMED_OUT = -32_001;
const INTERNAL_ERROR = -32_603;

export interface EndpointOptions {
  readonly mcp: Pick<McpHttpHandler, 'fetch'>;
  /** Null: whoever reaches the server is the person at this machine, and is not limited. */
  readonly auth: Authenticator | null;
  readonly limiter: RateLimiter;
  readonly subscriptions: Subscriptions;
  readonly limits: HttpLimits;
  /** Subscriptions that a request opens are its principal's. */
  readonly changes: ChangeBus | undefined;
  readonly log: (message: string) => void;
}

/** Answers one request; `headers` go with whatever the answer is. Rejects for failures of our own only. */
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
  exchange.who = principal.id;
  const refuse = (exhausted: Exhausted | null) => exhausted !== null && tooMany(exchange, exhausted, headers);
  if (auth !== null && refuse(await limiter.calls(principal, 1))) return;
  if (isSubscription(request) && auth !== null && !options.subscriptions.add(principal.id, response))
    return reject(exchange, 'subscriptions', 429, 'This caller holds too many streams already.', headers);
  const body = await readBody(request, limits.maxBodyBytes);
  if (body === null) {
    const message = `A request may have ${limits.maxBodyBytes} bytes; this one has more.`;
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
  const clock = deadline(isSubscription(request) ? null : limits.requestTimeoutMs);
  const gone = () => clock.abort();
  response.once('close', gone);
  try {
    const fetch = () =>
      mcp.fetch(webRequest(request, body, clock.signal), {
        ...(authInfo === undefined ? {} : { authInfo }),
        ...(body.json === undefined ? {} : { parsedBody: body.json }),
      });
    const asked = changes?.during(principalOf(authInfo), fetch) ?? fetch();
    const answer = await Promise.race([asked, clock.late]);
    if (answer === null) {
      exchange.rejected('timeout');
      const message = `The answer took longer than ${limits.requestTimeoutMs / 1_000} s, and was given up.`;
      return answerRpcError(response, 504, { id: requestIdOf(body), code: TIMED_OUT, message }, headers);
    }
    exchange.bytesOut = await send(answer, response, { maxBytes: limits.maxResponseBytes, headers });
  } catch (error) {
    if (!(error instanceof ResponseTooLong)) throw error;
    exchange.rejected('response');
    log(`An answer of more than ${limits.maxResponseBytes} bytes was not sent (limits.maxResponse).`);
    if (response.headersSent) return;
    const message = `The answer has more than ${limits.maxResponseBytes} bytes. Ask for less of it.`;
    answerRpcError(response, 500, { id: requestIdOf(body), code: INTERNAL_ERROR, message }, headers);
  } finally {
    clock.stop();
    response.off('close', gone);
  }
}

function tooMany(exchange: Exchange, { what, limit, retryAfterS }: Exhausted, headers: Headers): true {
  exchange.rejected(`rate-${what}`);
  const message = `More than ${limit} ${what} a minute. Try again in ${retryAfterS} s.`;
  const error = { code: SERVER_ERROR, message, data: { retryAfter: retryAfterS } };
  answerRpcError(exchange.response, 429, error, { ...headers, 'retry-after': String(retryAfterS) });
  return true;
}

function reject(exchange: Exchange, reason: string, status: number, message: string, headers: Headers): void {
  exchange.rejected(reason);
  answerRpcError(exchange.response, status, { code: SERVER_ERROR, message }, headers);
}

/** Aborts, and settles `late`, after a time; never where there is none. */
function deadline(ms: number | null) {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    if (ms === null) return;
    timer = setTimeout(() => {
      resolve(null);
      controller.abort();
    }, ms);
  });
  return {
    signal: controller.signal,
    late,
    abort: () => controller.abort(),
    stop: () => clearTimeout(timer),
  };
}

/** The request as the SDK takes it; its body has been read. */
function webRequest(request: IncomingMessage, body: Body, signal: AbortSignal): Request {
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
