/**
 * Serving over Streamable HTTP: both protocol eras on one path. Without authentication it is for callers on this
 * machine alone, and other addresses than the loopback's are refused; with it, for whoever has a token. Ends at SIGINT
 * or SIGTERM, once what was asked is answered. The parts are in `http/`, who is let in is in `auth/`.
 */

import type { Server } from 'node:http';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { authenticator, hasAuth } from './auth/authenticate.ts';
import { serveMcp } from './http/endpoint.ts';
import { Exchange } from './http/exchange.ts';
import { crossOrigin, guard } from './http/guard.ts';
import { rateLimiter } from './http/rate-limits.ts';
import { Requests, Subscriptions } from './http/requests.ts';
import { route } from './http/routes.ts';
import { webServer } from './http/server.ts';
import { DEFAULT_LIMITS, type HttpOptions, MCP_PATH, resourceOf } from './http/settings.ts';
import { readCertificate, renewing } from './http/tls.ts';
import { listening } from './listening.ts';
import { inUrl, isLoopback } from './loopback.ts';
import { type EndSignal, firstSignal } from './signals.ts';

export type { HttpLimits, HttpOptions } from './http/settings.ts';

/** Longest wait for answers after a signal, ms: less than the 30 s that orchestrators give. */
const DRAIN_MS = 25_000;
/** Streams of one principal. */
const MAX_SUBSCRIPTIONS = 32;

/** Serves until a signal comes. Rejects with `ListenError` where it cannot listen; later failures are logged. */
export async function serveOverHttp(factory: McpServerFactory, options: HttpOptions): Promise<EndSignal> {
  const { log, host, port, signals = process, metrics = null, traces = null, auth: settings = {} } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const onerror = (error: Error) => log(`MCP: ${error.message}`);
  const now = options.now ?? (() => new Date());
  const certificate = options.tls === undefined ? null : await readCertificate(options.tls);
  // The SDK reports each request that it refuses, too: those are the client's affair, and it was told.
  const mcp = createMcpHandler(factory, {
    maxRequestBodySize: limits.maxBodyBytes,
    ...(options.changes === undefined ? {} : { bus: options.changes }),
  });
  const underWay = new Requests();
  const onReject = (reason: string) => metrics?.reject(reason);
  const { server, setSecureContext } = webServer(
    { certificate, maxConnections: limits.maxConnections, onReject },
    (request, response) => {
      const exchange = new Exchange(request, response, {
        metrics,
        onAccess: options.onAccess,
        now: () => performance.now(),
      });
      const foreign = isForeign(request, response);
      if (foreign !== null) return exchange.rejected(foreign);
      if (exchange.path === MCP_PATH) underWay.add(request, response);
      const answer = () => route(exchange, routes, headersFor(request));
      const answered =
        traces === null
          ? answer()
          : traces.request(
              {
                method: request.method ?? '',
                path: exchange.path,
                traceparent: one(request.headers.traceparent),
              },
              (end) => {
                response.once('close', () => end(response.statusCode));
                return answer();
              },
            );
      answered.catch((error: unknown) => {
        // A client that has gone away is no failure of ours.
        if (!response.destroyed) onerror(error instanceof Error ? error : new Error(String(error)));
        response.destroy();
      });
    },
  );
  const isForeign = guard(options);
  const headersFor = crossOrigin(options.allowedOrigins);
  const taken = await listening(server, host, port, hasAuth(settings));
  const url = `${certificate === null ? 'http' : 'https'}://${inUrl(host)}:${taken}${MCP_PATH}`;
  const resource = resourceOf(options.publicUrl, url);
  const auth = hasAuth(settings) ? authenticator({ settings, resource, now, log }) : null;
  let ending = false;
  const routes = {
    auth,
    settings,
    resource: () => resource,
    metrics,
    notReady: () => (ending ? 'The server is ending.' : (options.notReady?.() ?? null)),
    isEnding: () => ending,
    mcp: endpointOf(),
  };
  warn(options, resource, log);
  server.on('error', onerror);
  const renewal =
    options.tls === undefined || setSecureContext === null
      ? null
      : renewing({ setSecureContext }, options.tls, log);
  const hangUp = () => void renewal?.look();
  // Without files to look at, a terminal that closes ends the process as ever.
  if (renewal !== null) signals.on('SIGHUP', hangUp);
  const signal = firstSignal(signals);
  options.onListening?.(url);
  const end = await signal.arrived;
  // From here on a second signal ends the process the hard way.
  signal.release();
  ending = true;
  signals.off('SIGHUP', hangUp);
  renewal?.stop();
  await stop(server, underWay, () => mcp.close());
  return end;

  function endpointOf() {
    const limiter = rateLimiter(limits, options.limitsOf);
    const endpoint = {
      mcp,
      auth,
      limiter,
      subscriptions: new Subscriptions(MAX_SUBSCRIPTIONS),
      limits,
      changes: options.changes,
      log,
    };
    return (exchange: Exchange, headers: Readonly<Record<string, string>>) =>
      serveMcp(exchange, endpoint, headers);
  }
}

/** What an operator may have overlooked. */
function warn(
  { host, publicUrl, tls, allowedHosts = [] }: HttpOptions,
  resource: URL,
  log: (line: string) => void,
) {
  if (isLoopback(host)) return;
  if (tls === undefined && publicUrl?.protocol !== 'https:')
    log(
      'Tokens travel unencrypted: set http.tls, or put a proxy with TLS before this and name it in http.publicUrl.',
    );
  if (publicUrl === undefined && allowedHosts.length === 0)
    log(
      `Only requests to ${resource.host} and to localhost are answered: name other hosts in http.publicUrl or http.allowedHosts.`,
    );
}

const one = (header: string | readonly string[] | undefined) =>
  typeof header === 'string' ? header : undefined;

/** No new connections; the requests under way are answered, then every connection is closed. */
async function stop(server: Server, underWay: Requests, closeMcp: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await underWay.settled(DRAIN_MS);
  // Ends subscriptions, and what did not answer in time.
  await closeMcp();
  server.closeIdleConnections();
  await new Promise((resolve) => setImmediate(resolve));
  server.closeAllConnections();
  await closed;
}
