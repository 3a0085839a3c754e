/** Handles each request: checks host and origin, traces, routes, reports. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { addressSet, clientAddress } from './addresses.ts';
import { answerRpcError } from './answer.ts';
import { Exchange } from './exchange.ts';
import { crossOrigin, guard } from './guard.ts';
import type { OpenRequests } from './requests.ts';
import { type Routes, route } from './routes.ts';
import { type HttpOptions, MCP_PATH } from './settings.ts';

interface ListenerContext {
  readonly routes: Routes;
  readonly openRequests: OpenRequests;
  readonly onerror: (error: Error) => void;
}

export function requestListener(
  options: HttpOptions,
  { routes, openRequests, onerror }: ListenerContext,
): RequestListener {
  const { metrics = null, traces = null, onAccess } = options;
  const refusalOf = guard(options);
  const addressOf = clientAddress(addressSet(options.trustedProxies ?? []));
  const reporting = { metrics, onAccess, now: () => performance.now(), addressOf };

  const answer = (exchange: Exchange) => {
    const { request, response, path } = exchange;
    if (traces === null) return route(exchange, routes, crossOrigin(request));
    const { method = '' } = request;
    const traceparent = one(request.headers.traceparent);
    return traces.request({ method, path, traceparent }, (end) => {
      response.once('close', () => end(response.statusCode));
      return route(exchange, routes, crossOrigin(request));
    });
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    const exchange = new Exchange(request, response, reporting);
    const refused = refusalOf(request, response);
    if (refused !== null) return exchange.rejected(refused);
    if (exchange.path === MCP_PATH) openRequests.add(response);
    answer(exchange).catch((error: unknown) => {
      // A client that has disconnected is not an error.
      if (response.destroyed || request.socket.destroyed) return response.destroy();
      onerror(error instanceof Error ? error : new Error(String(error)));
      exchange.rejected('internal');
      if (response.headersSent) response.destroy();
      else answerRpcError(response, 500, INTERNAL, { connection: 'close' });
    });
  };
}

const INTERNAL = { code: -32_603, message: 'skillgate failed unexpectedly; its log says why.' };

const one = (header: string | readonly string[] | undefined) =>
  typeof header === 'string' ? header : undefined;
