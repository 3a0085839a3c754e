/**
 * Serves over Streamable HTTP: both protocol eras on one path. Without authentication it serves only loopback addresses;
 * with authentication, every caller that has a token. Ends at SIGINT or SIGTERM, after open requests are answered.
 * The files next to it handle requests, `auth/` authenticates callers.
 */

import type { Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { type EndSignal, firstSignal } from '../../src/base/timing.ts';
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
import { requestListener, webServer } from './server.ts';
import { DEFAULT_LIMITS, type HttpOptions, MCP_PATH, resourceUrl } from './settings.ts';

export type { HttpOptions } from './settings.ts';

/** Longest wait for answers after a signal, ms: less than the 30 s that orchestrators allow. */
const DRAIN_MS = 25_000;
/** Most open streams of one principal. */
const MAX_STREAMS = 64;
/** A request that could not be read, for the log. */
const UNREAD = { who: null, method: '', path: '', ms: 0, bytesIn: 0, bytesOut: 0 };

const ENDING = 'The server is shutting down.';

/** Serves until a signal arrives. Rejects with `AppError` if it cannot listen; later errors are logged. */
export async function serveOverHttp(factory: McpServerFactory, options: HttpOptions): Promise<EndSignal> {
  const { log, host, port, signals = process, metrics = null } = options;
  const onerror = (error: Error) => log(`MCP: ${error.message}`);
  const state: State = {
    // Replaced once the port is known; nothing reads it before.
    resource: resourceUrl(options.publicUrl, `http://${inUrl(host)}${MCP_PATH}`),
    isEnding: false,
  };
  const connections = new Connections({
    max: { ...DEFAULT_LIMITS, ...options.limits }.maxConnections,
    isTrusted: addressSet(options.trustedProxies ?? []),
    onReject: (reason) => metrics?.reject(reason),
  });
  const endpoint = await openEndpoint(factory, options, { state, connections, onerror });
  const { mcp, tokens, openRequests } = endpoint;
  const server = webServer(
    {
      connections,
      onReject: (reason) => metrics?.reject(reason),
      onInvalid: (reject, status, remote) => options.onAccess?.({ ...UNREAD, reject, status, remote }),
    },
    requestListener(options, { routes: routesTo(endpoint, options, state), openRequests, onerror }),
  );
  const actualPort = await listen(server, host, port, tokens !== null);
  const url = `http://${inUrl(host)}:${actualPort}${MCP_PATH}`;
  state.resource = resourceUrl(options.publicUrl, url);
  warn(options, state.resource);
  server.on('error', onerror);
  const signal = firstSignal(signals);
  options.onListening?.(url);
  const end = await signal.arrived;
  // From now on a second signal ends the process immediately.
  signal.release();
  state.isEnding = true;
  options.onEnding?.();
  tokens?.stop();
  await stop(server, connections, openRequests, () => mcp.close());
  return end;
}

interface State {
  resource: URL;
  isEnding: boolean;
}

interface Surroundings {
  readonly state: State;
  readonly connections: Connections;
  readonly onerror: (error: Error) => void;
}

async function openEndpoint(
  factory: McpServerFactory,
  options: HttpOptions,
  { state, connections, onerror }: Surroundings,
) {
  const { log, auth: settings = {}, changes } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const now = options.now ?? (() => new Date());
  const auth = hasAuth(settings)
    ? await authenticator({ settings, resource: () => state.resource, now, log })
    : null;
  return {
    mcp: bothEras(factory, { limits, changes, onerror }),
    admission: new Admission(auth, connections),
    limiter: rateLimiter(limits, options.callsPerMinuteOf, options.counter),
    calls: new Concurrency(limits.callsInFlight),
    streams: new Concurrency(MAX_STREAMS),
    tokens: auth === null ? null : new TokenWatch((authInfo) => auth.isValid(authInfo)),
    openRequests: new OpenRequests(),
    limits,
    changes,
    log,
  };
}

function routesTo(
  endpoint: Awaited<ReturnType<typeof openEndpoint>>,
  options: HttpOptions,
  state: State,
): Routes {
  const { pages = [], refusal = () => null, metrics = null, auth: settings = {} } = options;
  return {
    admission: endpoint.admission,
    settings,
    resource: () => state.resource,
    metrics,
    warning: () => options.warning?.() ?? null,
    folderChanges: () => options.folderChanges?.() ?? null,
    notReady: () => (state.isEnding ? ENDING : (refusal() ?? options.notReady?.() ?? null)),
    refusal,
    isEnding: () => state.isEnding,
    pages,
    servePage: async (exchange, page, reason) =>
      (await import('./pages.ts')).servePage(exchange, page, reason, {
        ...endpoint,
        resource: () => state.resource,
      }),
    mcp: (exchange, headers) => serveMcp(exchange, endpoint, headers),
  };
}

/** Warnings about likely mistakes in the configuration. */
function warn({ host, publicUrl, allowedHosts = [], log }: HttpOptions, resource: URL): void {
  if (isLoopback(host)) return;
  if (publicUrl?.protocol !== 'https:')
    log('Tokens are sent unencrypted: put a proxy with TLS in front, and set http.publicUrl to its URL.');
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
