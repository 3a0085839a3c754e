/**
 * Serving over Streamable HTTP: both protocol eras on one path, for callers on this machine. A web page in their
 * browser is not such a caller: a request whose `Host` or `Origin` is another's is refused before it is read. Ends
 * at SIGINT or SIGTERM, once what was asked is answered. Who may ask from elsewhere needs authentication, which is
 * not here: other addresses than the loopback's are refused.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import { LOCAL } from '../gateway/principal.ts';
import type { ChangeBus } from '../mcp/change-bus.ts';
import { listening } from './listening.ts';
import { inUrl } from './loopback.ts';
import { type EndSignal, firstSignal, type Signals } from './signals.ts';

const MCP_PATH = '/mcp';
/** For whoever starts and watches the process. */
const HEALTH_PATH = '/healthz';
/** Longest body, bytes: queries are cut at 8,000 characters and nothing else that is sent is long. */
const MAX_BODY_BYTES = 2 ** 20;
/** Longest time to send a request's headers and the whole of it, ms: who is slower only holds a connection. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longest wait for answers after a signal, ms. */
const DRAIN_MS = 5_000;
/** Its answer ends only with the connection: nobody waits for it. The header is a must of the revision that has it. */
const SUBSCRIPTION = 'subscriptions/listen';

export interface HttpOptions {
  /** Writes one line for the operator, on stderr. */
  readonly log: (message: string) => void;
  /** A loopback address or `localhost`. */
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Told once requests are answered: the address with the port that was taken. */
  readonly onListening?: (url: string) => void;
  /** Tells subscribers of changes, each of its own. */
  readonly changes?: ChangeBus;
  /** Those of the process, where not given. */
  readonly signals?: Signals;
}

/** Serves until a signal comes. Rejects with `ListenError` where it cannot listen; later failures are logged. */
export async function serveOverHttp(factory: McpServerFactory, options: HttpOptions): Promise<EndSignal> {
  const { log, host, port, changes, signals = process } = options;
  const onerror = (error: Error) => log(`MCP: ${error.message}`);
  // The SDK reports each request that it refuses, too: those are the client's affair, and it was told.
  const mcp = createMcpHandler(factory, {
    maxRequestBodySize: MAX_BODY_BYTES,
    ...(changes === undefined ? {} : { bus: changes }),
  });
  const answer = toNodeHandler(mcp, { onerror, maxRequestBodySize: MAX_BODY_BYTES });
  const underWay = new Requests();
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      if (!isOurs(request, response)) return;
      const path = request.url?.split('?', 1)[0];
      if (path === HEALTH_PATH) return json(response, 200, { status: 'ok' });
      if (path !== MCP_PATH) return json(response, 404, { error: `MCP is at ${MCP_PATH}.` });
      underWay.add(request, response);
      const work = () => answer(withTarget(request), response);
      (changes?.during(LOCAL, work) ?? work()).catch(onerror);
    },
  );
  const isOurs = guard(host);
  const url = `http://${inUrl(host)}:${await listening(server, host, port)}${MCP_PATH}`;
  server.on('error', onerror);
  const signal = firstSignal(signals);
  options.onListening?.(url);
  const end = await signal.arrived;
  // From here on a second signal ends the process the hard way.
  signal.release();
  await stop(server, underWay, () => mcp.close());
  return end;
}

/** A server's requests always have both; the type that they share with a client's answers does not say so. */
const withTarget = (request: IncomingMessage) =>
  Object.assign(request, { method: request.method ?? 'POST', url: request.url ?? MCP_PATH });

/** Refuses, and has then answered, a request that names another host or comes from another's page. */
function guard(host: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isHost = hostHeaderValidation([...localhostAllowedHostnames(), inUrl(host)]);
  const isOrigin = originValidation([...localhostAllowedOrigins(), inUrl(host)]);
  return (request, response) => isHost(request, response) && isOrigin(request, response);
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

/** Requests that somebody waits for an answer to. */
class Requests {
  readonly #open = new Set<ServerResponse>();
  #onSettled = () => {};

  add({ headers }: IncomingMessage, response: ServerResponse): void {
    if (headers['mcp-method'] === SUBSCRIPTION) return;
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#onSettled();
    });
  }

  /** Resolves when none is open, after `patienceMs` at the latest. */
  async settled(patienceMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#onSettled = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
