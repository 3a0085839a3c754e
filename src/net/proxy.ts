/**
 * The only way out for those who have no network: an HTTP proxy on a Unix socket that connects to allowed domains and
 * to nothing else. `CONNECT` for TLS, absolute `http://` addresses for the rest. Names are compared as they are
 * written, addresses are checked where the connection is made, so that what was checked is what is spoken to.
 *
 * One proxy is for one run: what it lets through, and for how long, is counted over all its connections.
 */

import { createServer, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { allowsHost, hostName } from './domains.ts';
import { NetError } from './errors.ts';
import { forwardedHeaders, targetOf } from './proxy-request.ts';
import { type Connect, connectPublic } from './public-connect.ts';

export interface ProxyLimits {
  /** In both directions together, bytes. */
  readonly bytes: number;
  /** Connections at a time, and in all. */
  readonly connections: number;
  readonly allConnections: number;
  /** For a request's head, and between two pieces, ms. */
  readonly headMs: number;
  readonly idleMs: number;
}

export interface ProxyOptions {
  readonly domains: readonly string[];
  /** How a name is connected to; to public addresses only, unless a test stands in for it. */
  readonly connect?: Connect;
  readonly limits?: Partial<ProxyLimits>;
}

/** What went through and what did not; each domain once for each reason. */
export interface Traffic {
  readonly reached: readonly string[];
  readonly refused: readonly { readonly domain: string; readonly reason: string }[];
}

export const NO_TRAFFIC: Traffic = { reached: [], refused: [] };

export interface DomainProxy {
  /** On a Unix socket. Rejects where it cannot. */
  listen(path: string): Promise<void>;
  traffic(): Traffic;
  /** Ends every connection. */
  close(): Promise<void>;
}

const LIMITS: ProxyLimits = {
  bytes: 256 * 2 ** 20,
  connections: 64,
  allConnections: 2_000,
  headMs: 10_000,
  idleMs: 60_000,
};
/** Bytes of a request's head; more is answered with 431. */
const MAX_HEAD_BYTES = 16_384;
const PORTS = [80, 443];
/** Of what is told: entries, and characters of a name. */
const MOST_TOLD = 50;
const LONGEST_NAME = 100;
/** For what concerns no domain alone. */
const ALL = '*';

interface Place {
  readonly host: string;
  readonly port: number;
}

export function openProxy({ domains, connect = connectPublic, limits: given }: ProxyOptions): DomainProxy {
  const limits = { ...LIMITS, ...given };
  const sockets = new Set<Duplex>();
  const reached = new Set<string>();
  const refused = new Map<string, Traffic['refused'][number]>();
  let [bytes, connections] = [0, 0];

  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: limits.headMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, limits.headMs),
  });
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;

  const refuse = (domain: string, reason: string) => {
    const shown = domain.replace(/[^\x21-\x7e]/g, '?').slice(0, LONGEST_NAME);
    if (refused.size < MOST_TOLD) refused.set(`${shown} ${reason}`, { domain: shown, reason });
    return `${shown} was refused: ${reason}.\n`;
  };
  const track = <Stream extends Duplex>(stream: Stream): Stream => {
    sockets.add(stream);
    // Whoever fails closes, and the other side with it.
    stream.on('error', () => {}).on('close', () => sockets.delete(stream));
    return stream;
  };
  const count = (stream: Readable) => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limits.bytes) return;
      refuse(ALL, `more than ${limits.bytes} bytes went through`);
      for (const socket of sockets) socket.destroy();
    });
  };
  const place = (authority: string): Place | string => {
    const [, name = '', port = ''] = /^([^:@]*):(\d{1,5})$/.exec(authority) ?? [];
    const host = hostName(name);
    if (host === null) return refuse(authority, 'it is no name of a domain with a port');
    if (!allowsHost(domains, host)) return refuse(host, 'it is not among the allowed domains');
    if (!PORTS.includes(Number(port))) return refuse(`${host}:${port}`, 'only ports 80 and 443 are open');
    return { host, port: Number(port) };
  };
  /** Null for failures that are no refusals. */
  const refusalIn = (error: Error, { host }: Place): string | null =>
    error instanceof NetError && error.code === 'NET_REFUSED'
      ? refuse(host, 'its address is not public')
      : null;

  const tunnel = (client: Socket, head: Buffer, to: Place) => {
    const upstream = track(connect(to.host, to.port));
    client.setTimeout(limits.idleMs, () => client.destroy());
    client.once('close', () => upstream.destroy());
    const failed = (error: Error) => {
      const refusal = refusalIn(error, to);
      answer(client, refusal === null ? 502 : 403, refusal ?? `${to.host} cannot be reached.\n`);
    };
    upstream.once('error', failed);
    upstream.once('connect', () => {
      upstream.off('error', failed);
      upstream.once('close', () => client.end());
      reached.add(to.host);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) client.unshift(head);
      count(client);
      count(upstream);
      client.pipe(upstream);
      upstream.pipe(client);
    });
  };

  const forward = (asked: IncomingMessage, response: ServerResponse, to: Place, path: string) => {
    const upstream = request({
      method: asked.method,
      path,
      headers: forwardedHeaders(asked.headers, to.port === 80 ? to.host : `${to.host}:${to.port}`),
      setHost: false,
      createConnection: () => track(connect(to.host, to.port)),
    });
    upstream.on('error', (error) => {
      const refusal = refusalIn(error, to);
      if (response.headersSent) response.destroy();
      else respond(response, refusal === null ? 502 : 403, refusal ?? `${to.host} cannot be reached.\n`);
    });
    upstream.on('response', (found) => {
      reached.add(to.host);
      response.writeHead(found.statusCode ?? 502, forwardedHeaders(found.headers, null));
      count(found);
      found.on('error', () => response.destroy());
      found.pipe(response);
    });
    response.on('close', () => upstream.destroy());
    count(asked);
    asked.pipe(upstream);
  };

  server.on('connection', (socket) => {
    track(socket);
    connections += 1;
    if (connections <= limits.allConnections) return;
    refuse(ALL, `more than ${limits.allConnections} connections were made`);
    socket.destroy();
  });
  server.on('drop', () => refuse(ALL, `more than ${limits.connections} connections were open at a time`));
  server.on('connect', (asked, client, head) => {
    const to = place(asked.url ?? '');
    if (typeof to === 'string') answer(client, 403, to);
    else tunnel(client as Socket, head, to);
  });
  server.on('request', (asked, response) => {
    const target = targetOf(asked.url ?? '');
    if (target === null) {
      respond(response, 400, refuse(asked.url ?? '', 'it is no http:// address'));
      return;
    }
    const to = place(target.authority);
    if (typeof to === 'string') respond(response, 403, to);
    else forward(asked, response, to, target.path);
  });

  return {
    listen: (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject).listen(path, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    traffic: () => ({ reached: [...reached].sort(), refused: [...refused.values()] }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
}

/** To a client that asked for a tunnel: what it sends beside is nobody's request. */
function answer(client: Duplex, status: number, text: string): void {
  client.resume();
  client.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
