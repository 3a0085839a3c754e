/**
 * Serves the page to the user of this machine: on loopback, with a random token. The token is in the URL's fragment, which a
 * browser sends to nobody; the page sends it in a header, so that no other page or server can use it. Cookies are not used:
 * a browser would send them to every port of this machine.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '../../src/base/json.ts';
import { LOCAL } from '../../src/gateway/policy/principal.ts';
import { type Asset, type Assets, PAGE_HEADERS } from './assets.ts';
import type { Explorer } from './explorer.ts';

/** Largest request, bytes: a set of a few thousand queries. */
const MAX_BODY = 2 ** 20;
const TOKEN_BYTES = 24;
export const HOST = '127.0.0.1';

export interface ExploreServerOptions {
  readonly explorer: Explorer;
  readonly assets: Assets;
  /** 0 for any free port. */
  readonly port: number;
  /** Default: a random one. */
  readonly token?: string;
}

export interface ExploreServer {
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
}

/** Rejects with the system's error where the port is taken. */
export async function serveExplorer({
  explorer,
  assets,
  port,
  token = randomBytes(TOKEN_BYTES).toString('base64url'),
}: ExploreServerOptions): Promise<ExploreServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  const hosts = new Set([`${HOST}:${actual}`, `localhost:${actual}`]);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, hosts);
    if (refusal !== null) return reply(response, 403, { error: refusal });
    const { pathname } = new URL(request.url ?? '/', `http://${HOST}`);
    const [, name] = /^\/api\/([a-z-]+)$/i.exec(pathname) ?? [];
    if (name === undefined) return serveAsset(request, response, assets.get(pathname.slice(1)));
    if (request.method !== 'POST') return reply(response, 405, { error: 'Send a POST.' }, { allow: 'POST' });
    if (!isBearer(request.headers.authorization, token))
      return reply(response, 401, {
        error: 'The token is wrong: open the URL that skillgate explore printed.',
      });
    if (request.headers['content-type'] !== 'application/json')
      return reply(response, 415, { error: 'Send JSON as application/json.' });
    const body = await bodyOf(request);
    if (body === null)
      return reply(response, 413, { error: `The request is larger than ${MAX_BODY} bytes.` });
    const { status, body: json } = await explorer.answer(name, parseJson(body), LOCAL);
    reply(response, status, json);
  }

  return {
    port: actual,
    token,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Why a request is refused before it is read: it names another host, or comes from another page. */
function refusalOf({ headers }: IncomingMessage, hosts: ReadonlySet<string>): string | null {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = headers;
  if (!hosts.has(host)) return 'This server answers only to its own address.';
  const isOwn = origin === undefined || hosts.has(origin.replace(/^http:\/\//, ''));
  const isFromHere = site === 'none' || site === 'same-origin';
  return isOwn && isFromHere ? null : 'This server answers only to its own page.';
}

function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One file of the page, or 404. */
function serveAsset({ method }: IncomingMessage, response: ServerResponse, asset: Asset | undefined): void {
  if (asset === undefined) reply(response, 404, { error: 'There is no such file.' });
  else if (method !== 'GET' && method !== 'HEAD')
    reply(response, 405, { error: 'Send a GET.' }, { allow: 'GET, HEAD' });
  else {
    response.writeHead(200, { ...asset.headers, 'content-length': String(asset.bytes.length) });
    response.end(method === 'HEAD' ? undefined : asset.bytes);
  }
}

function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  response.end(text);
}
