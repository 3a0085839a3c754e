/**
 * Serving over Streamable HTTP: both protocol eras on one path. Without authentication it is for callers on this
 * machine alone, and other addresses than the loopback's are refused; with it, for whoever has a token. Ends at SIGINT
 * or SIGTERM, once what was asked is answered. The parts are in `http/`, who is let in is in `auth/`.
 */

import type { Server } from 'node:http';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { authenticator, hasAuth } from './auth/authenticate.ts';
import { serveMcp } from './http/endpoint.ts';
import { requestListener } from './http/listener.ts';
import { rateLimiter } from './http/rate-limits.ts';
import { Requests, Subscriptions } from './http/requests.ts';
import type { Routes } from './http/routes.ts';
import { type WebServer, webServer } from './http/server.ts';
import { DEFAULT_LIMITS, type HttpOptions, MCP_PATH, resourceOf } from './http/settings.ts';
import { readCertificate, renewing } from './http/tls.ts';
import { listening } from './listening.ts';
import { inUrl, isLoopback } from './loopback.ts';
import { type EndSignal, firstSignal, type Signals } from './signals.ts';

export type { HttpLimits, HttpOptions } from './http/settings.ts';

/** Longest wait for answers after a signal, ms: less than the 30 s that orchestrators give. */
const DRAIN_MS = 25_000;
/** Streams of one principal. */
const MAX_SUBSCRIPTIONS = 32;

/** Serves until a signal comes. Rejects with `ListenError` where it cannot listen; later failures are logged. */
export async function serveOverHttp(factory: McpServerFactory, options: HttpOptions): Promise<EndSignal> {
  const { log, host, port, signals = process, metrics = null, auth: settings = {} } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const onerror = (error: Error) => log(`MCP: ${error.message}`);
  const now = options.now ?? (() => new Date());
  const certificate = options.tls === undefined ? null : await readCertificate(options.tls);
  // The SDK reports each request that it refuses, too: those are the client's affair, and it was told.
  const mcp = createMcpHandler(factory, {
    maxRequestBodySize: limits.maxBodyBytes,
    ...(options.changes === undefined ? {} : { bus: options.changes }),
  });
  // Known once a port is taken: before that nobody asks.
  let resource = resourceOf(options.publicUrl, `http://${inUrl(host)}${MCP_PATH}`);
  let ending = false;
  const auth = hasAuth(settings)
    ? await authenticator({ settings, resource: () => resource, now, log })
    : null;
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
  const routes: Routes = {
    auth,
    settings,
    resource: () => resource,
    metrics,
    notReady: () => (ending ? 'The server is ending.' : (options.notReady?.() ?? null)),
    isEnding: () => ending,
    mcp: (exchange, headers) => serveMcp(exchange, endpoint, headers),
  };
  const underWay = new Requests();
  const { server, setSecureContext } = webServer(
    { certificate, maxConnections: limits.maxConnections, onReject: (reason) => metrics?.reject(reason) },
    requestListener(options, { routes, underWay, onerror }),
  );
  const taken = await listening(server, host, port, auth !== null);
  const url = `${certificate === null ? 'http' : 'https'}://${inUrl(host)}:${taken}${MCP_PATH}`;
  resource = resourceOf(options.publicUrl, url);
  warn(options, resource);
  server.on('error', onerror);
  const stopRenewing = followCertificate(options, setSecureContext, signals);
  const signal = firstSignal(signals);
  options.onListening?.(url);
  const end = await signal.arrived;
  // From here on a second signal ends the process the hard way.
  signal.release();
  ending = true;
  stopRenewing();
  await stop(server, underWay, () => mcp.close());
  return end;
}

/** Without files to look at, SIGHUP is left alone: a terminal that closes ends the process as ever. */
function followCertificate(
  { tls, log }: HttpOptions,
  setSecureContext: WebServer['setSecureContext'],
  signals: Signals,
): () => void {
  if (tls === undefined || setSecureContext === null) return () => {};
  const renewal = renewing({ setSecureContext }, tls, log);
  const hangUp = () => void renewal.look();
  signals.on('SIGHUP', hangUp);
  return () => {
    signals.off('SIGHUP', hangUp);
    renewal.stop();
  };
}

/** What an operator may have overlooked. */
function warn({ host, publicUrl, tls, allowedHosts = [], log }: HttpOptions, resource: URL): void {
  if (isLoopback(host)) return;
  if (tls === undefined && publicUrl?.protocol !== 'https:')
    log(
      'Tokens travel unencrypted: set http.tls, or put a proxy with TLS before this and name it in http.publicUrl.',
    );
  if (publicUrl === undefined && allowedHosts.length === 0)
    log(
      `Only requests that name ${resource.hostname} or localhost are answered: name other hosts in http.publicUrl or http.allowedHosts.`,
    );
}

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
