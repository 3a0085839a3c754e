/**
 * Pages for the callers of this server: their files for everyone, their answers for those with a token, within the limits of
 * calls. What an answer holds is decided by the page, for the caller's principal.
 */

import type { Page, Sent, Wanted } from '../../src/app/extension-api.ts';
import { withTimeout } from '../../src/base/timing.ts';
import { toPrincipal } from '../../src/mcp/principal.ts';
import { answerJson, type Headers, Refusal } from './answer.ts';
import { type EndpointOptions, received, tooLate, within } from './endpoint.ts';
import type { Exchange } from './exchange.ts';

interface PageOptions
  extends Pick<EndpointOptions, 'admission' | 'limiter' | 'calls' | 'limits' | 'openRequests'> {
  /** The public URL of the MCP endpoint. */
  readonly resource: () => URL;
}

/** Answers one request for a page; with `reason`, that no caller may be answered. Rejects only for internal errors. */
export async function servePage(
  exchange: Exchange,
  page: Page,
  reason: string | null,
  options: PageOptions,
): Promise<void> {
  const { path, request } = exchange;
  const refuse = refusing(exchange, page);
  if (reason !== null) return refuse(503, reason);
  const wanted = { headers: request.headers, endpoint: options.resource() };
  if (path.startsWith(`${page.path}/api/`)) return answerApi(exchange, page, wanted, options);
  const file = page.file(path, wanted);
  if (file === null) refuse(404, 'There is no such file.');
  else if (request.method !== 'GET' && request.method !== 'HEAD')
    refuse(405, 'Send a GET.', { allow: 'GET, HEAD' });
  else send(exchange, file);
}

const refusing =
  ({ response }: Exchange, page: Page) =>
  (status: number, message: string, headers: Headers = {}) =>
    answerJson(response, status, page.refusal(status, message), { ...page.headers, ...headers });

function send({ request, response }: Exchange, { status, headers, bytes }: Sent): void {
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

async function answerApi(
  exchange: Exchange,
  page: Page,
  wanted: Wanted,
  options: PageOptions,
): Promise<void> {
  const { request, response, path } = exchange;
  const { admission, limiter, calls, limits } = options;
  const refuse = refusing(exchange, page);
  if (request.method !== 'POST' && request.method !== 'GET')
    return refuse(405, 'Send a POST.', { allow: 'GET, POST' });
  if (page.isAwaited) options.openRequests.add(response);
  const { refusal } = page;
  const admitted = await admission.admit(exchange, page.headers, { refusal });
  if (admitted === null) return;
  const { authInfo } = admitted;
  const principal = toPrincipal(authInfo);
  exchange.principal = principal.id;
  const caller = authInfo === undefined ? null : { principal, address: exchange.address };
  try {
    const body = await received(exchange, caller, options);
    const json = request.method === 'GET' ? readQuery(request.url) : body.json;
    const more = page.callsOf(json) - 1;
    if (caller !== null && more > 0) within(await limiter.calls(caller, more));
    if (caller !== null && !calls.take(principal, 1, response))
      throw new Refusal(
        'in-flight',
        429,
        `This caller may have ${calls.most} calls at once (limits.callsInFlight).`,
      );
    const answering = page.answer(path.slice(`${page.path}/api/`.length), json, principal, wanted);
    const answer = await withTimeout(answering, limits.requestTimeoutMs, () => {
      throw tooLate(limits);
    });
    const bytes = answer.bytes.length;
    if (bytes > limits.maxResponseBytes)
      throw new Refusal('response', 500, `The answer is larger than ${limits.maxResponseBytes} bytes.`);
    if (caller !== null) within(await limiter.bytes(caller, bytes));
    exchange.bytesOut += bytes;
    send(exchange, answer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    exchange.rejected(error.reason);
    refuse(error.status, error.message, error.headers);
  }
}

/** Of a name that is given several times, the last. */
const readQuery = (url = '') => Object.fromEntries(new URLSearchParams(url.split(/\?(.*)/s)[1]));
