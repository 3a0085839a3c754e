/**
 * The only network access of a sandboxed run: an HTTP proxy on a Unix socket that connects to allowed domains and to
 * nothing else. It takes `CONNECT` for TLS and absolute `http://` addresses for the rest. Names are compared as text;
 * addresses are checked when the connection is made, so a name cannot resolve to something else after the check.
 *
 * Open one proxy per run: limits and traffic are counted over all its connections.
 */

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Traffic } from '../../../src/gateway/scripts.ts';
import { NetError } from '../../net/errors.ts';
import { allowsHost, hostName } from './domains.ts';
import { type Connect, connectPublic } from './public-connect.ts';

export interface ProxyLimits {
  /** In both directions together, bytes. */
  readonly bytes: number;
  /** Connections open at a time. */
  readonly connections: number;
  /** Connections over the life of the proxy. */
  readonly allConnections: number;
  /** Longest wait for a request's head, ms. */
  readonly headMs: number;
  /** Longest silence on a connection, ms. */
  readonly idleMs: number;
}

export interface ProxyOptions {
  readonly domains: readonly string[];
  /** Opens a connection to a name. Default: to public addresses only. */
  readonly connect?: Connect;
  readonly limits?: Partial<ProxyLimits>;
}

export const NO_TRAFFIC: Traffic = { reached: [], refused: [] };

const LIMITS: ProxyLimits = {
  bytes: 256 * 2 ** 20,
  connections: 64,
  allConnections: 2_000,
  headMs: 10_000,
  idleMs: 60_000,
};
/** Bytes of a request's head; a longer one is answered with 431. */
const MAX_HEAD_BYTES = 16_384;
const PORTS = [80, 443];
/** Refusals reported, and characters of a name in them. */
const MAX_REFUSALS = 50;
const MAX_NAME = 100;
/** The domain of a refusal that concerns all of them. */
const ALL = '*';

interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Where a request may go, or why it may not. */
type Verdict = Destination | { readonly domain: string; readonly reason: string };

export class DomainProxy {
  readonly #domains: readonly string[];
  readonly #connect: Connect;
  readonly #limits: ProxyLimits;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #reached = new Set<string>();
  readonly #refused = new Map<string, Traffic['refused'][number]>();
  #bytes = 0;
  #connections = 0;

  constructor({ domains, connect = connectPublic, limits }: ProxyOptions) {
    this.#domains = domains;
    this.#connect = connect;
    this.#limits = { ...LIMITS, ...limits };
    this.#server = this.#createServer();
  }

  /** Listens on a Unix socket at `path`. Rejects if it cannot. */
  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(path, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  traffic(): Traffic {
    return { reached: [...this.#reached].sort(), refused: [...this.#refused.values()] };
  }

  /** Ends every connection. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #createServer(): Server {
    const { headMs, idleMs, connections } = this.#limits;
    const server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: headMs,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1_000, headMs),
    });
    server.maxConnections = connections;
    server.timeout = idleMs;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('drop', () => this.#refuse(ALL, `more than ${connections} connections were open at a time`));
    server.on('connect', (asked, client, head) => {
      const verdict = verdictOn(asked.url ?? '', this.#domains);
      if ('reason' in verdict) answer(client, 403, this.#refuse(verdict.domain, verdict.reason));
      else this.#tunnel(client as Socket, head, verdict);
    });
    server.on('request', (asked, response) => {
      const target = parseTarget(asked.url ?? '');
      if (target === null) {
        respond(response, 400, this.#refuse(asked.url ?? '', 'it is not an http:// address'));
        return;
      }
      const verdict = verdictOn(target.authority, this.#domains);
      if ('reason' in verdict) respond(response, 403, this.#refuse(verdict.domain, verdict.reason));
      else this.#forward(asked, response, verdict, target.path);
    });
    return server;
  }

  #accept(socket: Socket): void {
    this.#track(socket);
    this.#connections += 1;
    if (this.#connections <= this.#limits.allConnections) return;
    this.#refuse(ALL, `more than ${this.#limits.allConnections} connections were made`);
    socket.destroy();
  }

  #tunnel(client: Socket, head: Buffer, to: Destination): void {
    const upstream = this.#track(this.#connect(to.host, to.port));
    client.setTimeout(this.#limits.idleMs, () => client.destroy());
    client.once('close', () => upstream.destroy());
    const failed = (error: Error) => {
      const { status, text } = this.#failure(error, to);
      answer(client, status, text);
    };
    upstream.once('error', failed);
    upstream.once('connect', () => {
      upstream.off('error', failed);
      upstream.once('close', () => client.end());
      this.#reached.add(to.host);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) client.unshift(head);
      this.#count(client);
      this.#count(upstream);
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }

  #forward(asked: IncomingMessage, response: ServerResponse, to: Destination, path: string): void {
    const upstream = request({
      method: asked.method,
      path,
      headers: forwardedHeaders(asked.headers, to.port === 80 ? to.host : `${to.host}:${to.port}`),
      createConnection: () => this.#track(this.#connect(to.host, to.port)),
    });
    upstream.on('error', (error) => {
      const { status, text } = this.#failure(error, to);
      if (response.headersSent) response.destroy();
      else respond(response, status, text);
    });
    upstream.on('response', (found) => {
      this.#reached.add(to.host);
      response.writeHead(found.statusCode ?? 502, forwardedHeaders(found.headers, null));
      this.#count(found);
      found.on('error', () => response.destroy());
      found.pipe(response);
    });
    response.on('close', () => upstream.destroy());
    this.#count(asked);
    asked.pipe(upstream);
  }

  #track<Stream extends Duplex>(stream: Stream): Stream {
    this.#sockets.add(stream);
    // A stream that fails also closes, and its other side with it.
    stream.on('error', () => {}).on('close', () => this.#sockets.delete(stream));
    return stream;
  }

  #count(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= this.#limits.bytes) return;
      this.#refuse(ALL, `more than ${this.#limits.bytes} bytes went through`);
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /** Records the refusal and returns its text for the client. */
  #refuse(domain: string, reason: string): string {
    const shown = domain.replace(/[^\x21-\x7e]/g, '?').slice(0, MAX_NAME);
    if (this.#refused.size < MAX_REFUSALS) this.#refused.set(`${shown} ${reason}`, { domain: shown, reason });
    return `${shown} was refused: ${reason}.\n`;
  }

  #failure(error: Error, { host }: Destination): { readonly status: 403 | 502; readonly text: string } {
    const isRefusal = error instanceof NetError && error.code === 'NET_REFUSED';
    return isRefusal
      ? { status: 403, text: this.#refuse(host, 'its address is not public') }
      : { status: 502, text: `${host} cannot be reached.\n` };
  }
}

function verdictOn(authority: string, domains: readonly string[]): Verdict {
  const found = /^([^:@]*):(\d{1,5})$/.exec(authority);
  const host = hostName(found?.[1] ?? '');
  const port = Number(found?.[2]);
  if (host === null) return { domain: authority, reason: 'it is not a domain name with a port' };
  if (!allowsHost(domains, host)) return { domain: host, reason: 'it is not among the allowed domains' };
  if (!PORTS.includes(port)) return { domain: `${host}:${port}`, reason: 'only ports 80 and 443 are open' };
  return { host, port };
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
}

/** Answers a client that asked for a tunnel. Anything more that it sends is discarded. */
function answer(client: Duplex, status: number, text: string): void {
  client.resume();
  client.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

/** Headers for one hop only: RFC 9110, section 7.6.1, and those that older clients send. */
const HOP_BY_HOP = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
];
const HTTP_PORT = '80';

/** Authority with its port, and the path; null if it is not an absolute `http://` address. */
export function parseTarget(url: string): { readonly authority: string; readonly path: string } | null {
  const [, authority = '', path = ''] = /^http:\/\/([^/?#\\\s]+)([/?][^#\s]*)?$/i.exec(url) ?? [];
  if (authority === '') return null;
  return {
    authority: authority.includes(':') ? authority : `${authority}:${HTTP_PORT}`,
    path: path.startsWith('/') ? path : `/${path}`,
  };
}

/** `host` replaces the client's Host header, so that a request cannot reach another site at the same address. */
export function forwardedHeaders(headers: IncomingHttpHeaders, host: string | null): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]/);
  const kept = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.includes(name) && !(named.includes(name) && !isFraming(name)) && name !== 'host',
  );
  return { ...Object.fromEntries(kept), connection: 'close', ...(host !== null && { host }) };
}

/** A body keeps its framing: without it, it would be read as the next request. */
const isFraming = (name: string) => name === 'transfer-encoding' || name === 'content-length';
