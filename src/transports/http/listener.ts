/** What happens to each request, from the moment it is there: looked at, traced, answered, told of. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Exchange } from './exchange.ts';
import { crossOrigin, guard } from './guard.ts';
import type { Requests } from './requests.ts';
import { type Routes, route } from './routes.ts';
import { type HttpOptions, MCP_PATH } from './settings.ts';

export interface Parts {
  readonly routes: Routes;
  readonly underWay: Requests;
  readonly onerror: (error: Error) => void;
}

export function requestListener(options: HttpOptions, { routes, underWay, onerror }: Parts): RequestListener {
  const { metrics = null, traces = null, onAccess } = options;
  const isForeign = guard(options);
  const headersFor = crossOrigin(options.allowedOrigins);
  const told = { metrics, onAccess, now: () => performance.now() };

  const answer = (exchange: Exchange) => {
    const { request, response, path } = exchange;
    if (traces === null) return route(exchange, routes, headersFor(request));
    const { method = '' } = request;
    const traceparent = one(request.headers.traceparent);
    return traces.request({ method, path, traceparent }, (end) => {
      response.once('close', () => end(response.statusCode));
      return route(exchange, routes, headersFor(request));
    });
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    const exchange = new Exchange(request, response, told);
    const foreign = isForeign(request, response);
    if (foreign !== null) return exchange.rejected(foreign);
    if (exchange.path === MCP_PATH) underWay.add(request, response);
    answer(exchange).catch((error: unknown) => {
      // A client that has gone away is no failure of ours.
      if (!response.destroyed && !request.destroyed)
        onerror(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    });
  };
}

const one = (header: string | readonly string[] | undefined) =>
  typeof header === 'string' ? header : undefined;
