/**
 * Serves over Streamable HTTP: both protocol eras on one path. Without authentication it serves only loopback addresses;
 * with authentication, every caller that has a token. Ends at SIGINT or SIGTERM, after open requests are answered.
 * `http/` handles requests, `auth/` authenticates callers.
 */

import type { Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { type EndSignal, firstSignal, type Signals } from '../../base/timing.ts';
import { addressSet } from './addresses.ts';
import { Admission } from './admission.ts';
import { authenticator, hasAuth } from './auth/authenticate.ts';
import { Connections } from './connections.ts';
import { serveMcp } from './endpoint.ts';
import { bothEras } from './eras.ts';
import { inUrl, isLoopback, listen } from './listen.ts';
import { rateLimiter } from './rate-limits.ts';
import { Concurrency, OpenRequests, TokenWatch } from './requests.ts';
import type { Routes } from './routes.ts';
import { requestListener, type WebServer, webServer } from './server.ts';
import { DEFAULT_LIMITS, type HttpOptions, MCP_PATH, resourceOf } from './settings.ts';
import { readCertificate, watchCertificate } from './tls.ts';

export type { HttpOptions } from './settings.ts';

/** Longest wait for answers after a signal, ms: less than the 30 s that orchestrators allow. */
const DRAIN_MS = 25_000;
/** Most open streams of one principal. */
const MAX_STREAMS = 64;
/** A request that could not be read, for the log. */
const UNREAD = { who: null, method: '', path: '', ms: 0, bytesIn: 0, bytesOut: 0 };

/** Serves until a signal arrives. Rejects with `ListenError` if it cannot listen; later errors are logged. */
export async function serveOverHttp(factory: McpServerFactory, options: HttpOptions): Promise<EndSignal> {
  const { log, host, port, signals = process, metrics = null, auth: settings = {} } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const onerror = (error: Error) => log(`MCP: ${error.message}`);
  const now = options.now ?? (() => new Date());
  const certificate = options.tls === undefined ? null : await readCertificate(options.tls);
  const mcp = bothEras(factory, { limits, changes: options.changes, onerror });
  // Replaced once the port is known; nothing reads it before.
  let resource = resourceOf(options.publicUrl, `http://${inUrl(host)}${MCP_PATH}`);
  let ending = false;
  const auth = hasAuth(settings)
    ? await authenticator({ settings, resource: () => resource, now, log })
    : null;
  const connections = new Connections({
    max: limits.maxConnections,
    isTrusted: addressSet(options.trustedProxies ?? []),
    onReject: (reason) => metrics?.reject(reason),
  });
  const admission = new Admission(auth, connections);
  const openRequests = new OpenRequests();
  const tokens = auth === null ? null : new TokenWatch((authInfo) => auth.isValid(authInfo));
  const endpoint = {
    mcp,
    admission,
    limiter: rateLimiter(limits, options.callsPerMinuteOf, options.counter),
    calls: new Concurrency(limits.callsInFlight),
    streams: new Concurrency(MAX_STREAMS),
    tokens,
    openRequests,
    limits,
    changes: options.changes,
    log,
  };
  const { page = null } = options;
  const routes: Routes = {
    admission,
    settings,
    resource: () => resource,
    metrics,
    warning: () => options.warning?.() ?? null,
    folderChanges: () => options.folderChanges?.() ?? null,
    notReady: () => (ending ? 'The server is shutting down.' : (options.notReady?.() ?? null)),
    isEnding: () => ending,
    page:
      page === null
        ? null
        : async (exchange) => (await import('./explore.ts')).servePage(exchange, page, endpoint),
    mcp: (exchange, headers) => serveMcp(exchange, endpoint, headers),
  };
  const { server, setSecureContext } = webServer(
    {
      certificate,
      connections,
      onReject: (reason) => metrics?.reject(reason),
      onInvalid: (reject, status, remote) => options.onAccess?.({ ...UNREAD, reject, status, remote }),
    },
    requestListener(options, { routes, openRequests, onerror }),
  );
  const actualPort = await listen(server, host, port, auth !== null);
  const url = `${certificate === null ? 'http' : 'https'}://${inUrl(host)}:${actualPort}${MCP_PATH}`;
  resource = resourceOf(options.publicUrl, url);
  warn(options, resource);
  server.on('error', onerror);
  const stopWatching = reloadCertificate(options, setSecureContext, signals);
  const signal = firstSignal(signals);
  options.onListening?.(url);
  const end = await signal.arrived;
  // From now on a second signal ends the process immediately.
  signal.release();
  ending = true;
  stopWatching();
  tokens?.stop();
  await stop(server, connections, openRequests, () => mcp.close());
  return end;
}

/** Reloads the certificate at SIGHUP. Without TLS, SIGHUP keeps its default: it ends the process. */
function reloadCertificate(
  { tls, log }: HttpOptions,
  setSecureContext: WebServer['setSecureContext'],
  signals: Signals,
): () => void {
  if (tls === undefined || setSecureContext === null) return () => {};
  const watch = watchCertificate({ setSecureContext }, tls, log);
  const hangUp = () => void watch.check();
  signals.on('SIGHUP', hangUp);
  return () => {
    signals.off('SIGHUP', hangUp);
    watch.stop();
  };
}

/** Warnings about likely mistakes in the configuration. */
function warn({ host, publicUrl, tls, allowedHosts = [], log }: HttpOptions, resource: URL): void {
  if (isLoopback(host)) return;
  if (tls === undefined && publicUrl?.protocol !== 'https:')
    log(
      'Tokens are sent unencrypted: set http.tls, or use a proxy with TLS and set http.publicUrl to its URL.',
    );
  if (publicUrl === undefined && allowedHosts.length === 0)
    log(
      `Only requests for the host ${resource.hostname} or localhost are answered: add other hosts in http.publicUrl or http.allowedHosts.`,
    );
}

/**
 * Waits for the open requests, then stops listening and closes all connections. New requests that arrive while it waits
 * get an error.
 */
async function stop(
  server: Server,
  connections: Connections,
  openRequests: OpenRequests,
  closeMcp: () => Promise<void>,
): Promise<void> {
  await openRequests.settled(DRAIN_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Ends subscriptions and requests without an answer.
  await closeMcp();
  server.closeIdleConnections();
  await setImmediate();
  connections.closeAll();
  await closed;
}
