/** The HTTP server, and its handling of invalid connections. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { addressSet, clientAddress, plain } from './addresses.ts';
import { answerRpcError } from './answer.ts';
import { type Connections, NODE_TIMEOUTS } from './connections.ts';
import { Exchange } from './exchange.ts';
import { crossOrigin, guard } from './guard.ts';
import type { OpenRequests } from './requests.ts';
import { type Routes, route } from './routes.ts';
import { type HttpOptions, MCP_PATH } from './settings.ts';

/** Most bytes of all headers: only tokens are long. */
const MAX_HEADER_BYTES = 16 * 2 ** 10;

interface WebServerOptions {
  readonly connections: Connections;
  /** Called for a connection that is closed without an MCP answer, with a fixed reason. */
  readonly onReject: (reason: string) => void;
  /** Called for a request that cannot be read, with the status of its answer. */
  readonly onInvalid: (reason: string, status: number, address: string) => void;
}

export function webServer(
  { connections, onReject, onInvalid }: WebServerOptions,
  listener: RequestListener,
): Server {
  const server = createServer({ ...NODE_TIMEOUTS, maxHeaderSize: MAX_HEADER_BYTES });
  // Node would leave out the headers above a limit; the guard refuses such requests.
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('request', (request, response) => {
    connections.asked(request, response);
    listener(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.destroyed) return;
    const { reason, status } = toBadRequest(error.code);
    onReject(reason);
    // A connection that never sent anything made no request.
    if (!socket.writable || socket.bytesRead === 0) return socket.destroy();
    onInvalid(reason, Number.parseInt(status, 10), plain(socket.remoteAddress ?? ''));
    // A client that does not close its side is disconnected like one that is silent.
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
  });
  return server;
}

function toBadRequest(code: string | undefined): { readonly reason: string; readonly status: string } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { reason: 'slow', status: '408 Request Timeout' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { reason: 'headers', status: '431 Request Header Fields Too Large' };
  // After a reset the socket is not writable, so no answer is sent.
  return { reason: 'malformed', status: '400 Bad Request' };
}

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
  const checkRequest = guard(options);
  const readAddress = clientAddress(addressSet(options.trustedProxies ?? []));
  const reporting = { metrics, onAccess, now: () => performance.now(), addressOf: readAddress };

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
    const refused = checkRequest(request, response);
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
