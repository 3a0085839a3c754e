/** The HTTP or HTTPS server, its connection limits, and its handling of invalid connections. */

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { networkOf, plain } from './addresses.ts';
import type { Certificate } from './tls.ts';

/** Longest time to send a request's headers and the whole request, ms: slower clients would occupy connections. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often slow connections are checked, ms. */
const CHECK_MS = 2_000;
/** Longest TLS handshake, ms. */
const HANDSHAKE_MS = 10_000;
/** Idle time of a connection, ms: a little longer than the usual idle time of proxies. */
const KEEP_ALIVE_MS = 65_000;
/** Most bytes of all headers: only tokens are long. */
const MAX_HEADER_BYTES = 16 * 2 ** 10;

interface WebServerOptions {
  readonly certificate: Certificate | null;
  readonly maxConnections: number;
  readonly connectionsPerAddress: number;
  /** Proxies have the connections of many clients, so their number is not limited. */
  readonly isTrusted: (address: string) => boolean;
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
  { certificate, maxConnections, connectionsPerAddress, isTrusted, onReject, onInvalid }: WebServerOptions,
  listener: RequestListener,
): WebServer {
  const options: ServerOptions = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const secure =
    certificate === null
      ? null
      : createTlsServer(
          { ...options, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS },
          listener,
        );
  const server = secure ?? createServer(options, listener);
  // Node would leave out the headers above a limit; the guard refuses such requests.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
  server.on('drop', () => onReject('connections'));
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? '');
    if (isTrusted(address)) return;
    const network = networkOf(address);
    const others = open.get(network) ?? 0;
    if (others >= connectionsPerAddress) {
      onReject('address');
      return socket.destroy();
    }
    open.set(network, others + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
  server.on('tlsClientError', () => onReject('tls'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { reason, status } = badRequestOf(error.code);
    onReject(reason);
    if (!socket.writable) return socket.destroy();
    // A connection that never sent anything made no request.
    if (socket.bytesRead > 0)
      onInvalid(reason, Number.parseInt(status, 10), plain(socket.remoteAddress ?? ''));
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
