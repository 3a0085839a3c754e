/** The HTTP or HTTPS server, and its handling of invalid connections. */

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { plain } from './addresses.ts';
import { type Connections, HANDSHAKE_MS, NODE_TIMEOUTS } from './connections.ts';
import type { Certificate } from './tls.ts';

/** Most bytes of all headers: only tokens are long. */
const MAX_HEADER_BYTES = 16 * 2 ** 10;

interface WebServerOptions {
  readonly certificate: Certificate | null;
  readonly connections: Connections;
  /** Called for a connection that is closed without an MCP answer, with a fixed reason. */
  readonly onReject: (reason: string) => void;
  /** Called for a request that cannot be read, with the status of its answer. */
  readonly onInvalid: (reason: string, status: number, address: string) => void;
}

export interface WebServer {
  readonly server: Server;
  /** Sets the certificate for new connections; null for plain HTTP. */
  readonly setSecureContext: ((certificate: Certificate) => void) | null;
}

export function webServer(
  { certificate, connections, onReject, onInvalid }: WebServerOptions,
  listener: RequestListener,
): WebServer {
  const options: ServerOptions = { ...NODE_TIMEOUTS, maxHeaderSize: MAX_HEADER_BYTES };
  const secure =
    certificate === null
      ? null
      : createTlsServer({
          ...options,
          ...certificate,
          minVersion: 'TLSv1.2',
          handshakeTimeout: HANDSHAKE_MS,
        });
  const server = secure ?? createServer(options);
  // Node would leave out the headers above a limit; the guard refuses such requests.
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('request', (request, response) => {
    connections.asked(request, response);
    listener(request, response);
  });
  // Before Node's own listener, which would send an answer for HTTP.
  server.prependListener('tlsClientError', (_: Error, socket: Socket) => {
    onReject('tls');
    socket.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.destroyed) return;
    const { reason, status } = badRequestOf(error.code);
    onReject(reason);
    // A connection that never sent anything made no request.
    if (!socket.writable || socket.bytesRead === 0) return socket.destroy();
    onInvalid(reason, Number.parseInt(status, 10), plain(socket.remoteAddress ?? ''));
    // A client that does not close its side is disconnected like one that is silent.
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
  });
  return { server, setSecureContext: secure === null ? null : (next) => secure.setSecureContext(next) };
}

function badRequestOf(code: string | undefined): { readonly reason: string; readonly status: string } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { reason: 'slow', status: '408 Request Timeout' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { reason: 'headers', status: '431 Request Header Fields Too Large' };
  // After a reset the socket is not writable, so no answer is sent.
  return { reason: 'malformed', status: '400 Bad Request' };
}
