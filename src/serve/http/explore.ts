/**
 * The page of `skillgate explore` for the callers of this server: its files for any browser, its answers for those with a
 * token, within the limits of calls. What an answer holds is decided by the page, for the caller's principal.
 */

import { principalOf } from '../../mcp/principal.ts';
import { answerJson, Refusal } from './answer.ts';
import { type EndpointOptions, received, within } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { EXPLORE_PATH, type Page, type Sent } from './settings.ts';

type PageOptions = Pick<EndpointOptions, 'admission' | 'limiter' | 'calls' | 'limits'>;

const API = `${EXPLORE_PATH}/api/`;

/** Answers one request at or below `EXPLORE_PATH`. Rejects only for internal errors. */
export async function servePage(exchange: Exchange, page: Page, options: PageOptions): Promise<void> {
  const { path, response, request } = exchange;
  if (path.startsWith(API)) return answerApi(exchange, page, options);
  const file = page.file(path.slice(EXPLORE_PATH.length + 1), request.headers);
  if (path === EXPLORE_PATH) {
    // Relative addresses of the page need the slash.
    response.writeHead(308, { ...page.headers, location: `${EXPLORE_PATH.slice(1)}/` });
    response.end();
  } else if (file === null) answerJson(response, 404, { error: 'The page has no such file.' }, page.headers);
  else if (request.method !== 'GET' && request.method !== 'HEAD')
    answerJson(response, 405, { error: 'Send a GET.' }, { ...page.headers, allow: 'GET, HEAD' });
  else send(exchange, file);
}

function send({ request, response }: Exchange, { status, headers, bytes }: Sent): void {
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

async function answerApi(exchange: Exchange, page: Page, options: PageOptions): Promise<void> {
  const { request, response, path } = exchange;
  const { admission, limiter, calls, limits } = options;
  if (request.method !== 'POST' && request.method !== 'GET')
    return answerJson(response, 405, { error: 'Send a POST.' }, { ...page.headers, allow: 'GET, POST' });
  const admitted = await admission.admit(exchange, page.headers);
  if (admitted === null) return;
  const { authInfo } = admitted;
  const principal = principalOf(authInfo);
  exchange.principal = principal.id;
  const caller = authInfo === undefined ? null : { principal, address: exchange.address };
  try {
    const body = await received(exchange, caller, options);
    const json = request.method === 'GET' ? {} : body.json;
    const more = page.callsOf(json) - 1;
    if (caller !== null && more > 0) within(await limiter.calls(caller, more));
    if (caller !== null && !calls.take(principal, 1, response))
      throw new Refusal(
        'in-flight',
        429,
        `This caller may have ${calls.most} calls at once (limits.callsInFlight).`,
      );
    const answer = await page.answer(path.slice(API.length), json, principal, request.headers);
    const bytes = answer.bytes.length;
    if (bytes > limits.maxResponseBytes)
      throw new Refusal('response', 500, `The answer is larger than ${limits.maxResponseBytes} bytes.`);
    if (caller !== null) within(await limiter.bytes(caller, bytes));
    exchange.bytesOut += bytes;
    send(exchange, answer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    exchange.rejected(error.reason);
    answerJson(response, error.status, { error: error.message }, { ...page.headers, ...error.headers });
  }
}
