/**
 * Serves the page to the user of this machine: on loopback, with a random token. The token is in the URL's fragment, which a
 * browser sends to no one; the page sends it in a header, so that no other page or server can use it. Cookies are not used:
 * a browser would send them to every port of this machine.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { AppError } from '../../src/app/app-error.ts';
import type { Sent } from '../../src/app/extension-api.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { FileError } from '../../src/base/files/open.ts';
import { readRegularSync } from '../../src/base/files/read.ts';
import { replaceFile } from '../../src/base/files/replace.ts';
import { parseJson } from '../../src/base/json.ts';
import { LOCAL } from '../../src/gateway/policy/principal.ts';
import type { Explorer } from './explorer.ts';
import { type Files, sentAnswer, sentFile } from './sent.ts';

/** Largest request, bytes: a set of a few thousand queries. */
const MAX_BODY = 2 ** 20;
const TOKEN_BYTES = 24;
export const HOST = '127.0.0.1';

export interface ExploreServerOptions {
  readonly explorer: Explorer;
  readonly files: Files;
  /** 0 for any free port. */
  readonly port: number;
  /** Default: a random one. */
  readonly token?: string;
}

export interface ExploreServer {
  readonly port: number;
  readonly token: string;
  /** A URL that leads once to `url`, which has the token: other users of the machine see what programs are started with. */
  urlOnce(url: string): string;
  close(): Promise<void>;
}

/** Rejects with the system's error where the port is taken. */
export async function serveExplorer({
  explorer,
  files,
  port,
  token = randomBytes(TOKEN_BYTES).toString('base64url'),
}: ExploreServerOptions): Promise<ExploreServer> {
  const site: Site = { explorer, files, token, once: null, hosts: new Set() };
  const server = createServer((request, response) => {
    answer(request, response, site).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  site.hosts = new Set([`${HOST}:${actual}`, `localhost:${actual}`]);
  return {
    port: actual,
    token,
    urlOnce(url) {
      const path = `/start/${randomBytes(TOKEN_BYTES).toString('base64url')}`;
      site.once = { path, url };
      return `http://${HOST}:${actual}${path}`;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Site extends Pick<ExploreServerOptions, 'explorer' | 'files'> {
  readonly token: string;
  /** Addresses of the server itself. */
  hosts: ReadonlySet<string>;
  /** The path that leads to `url`, until it is used. */
  once: { readonly path: string; readonly url: string } | null;
}

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const { method = '', headers } = request;
  const say = (status: number, body: object, more: Readonly<Record<string, string>> = {}) => {
    const sent = sentAnswer(status, body, headers);
    send(request, response, { ...sent, headers: { ...sent.headers, ...more } });
  };
  const refusal = checkOrigin(request, site.hosts);
  if (refusal !== null) return say(403, { error: refusal });
  const { pathname } = new URL(request.url ?? '/', `http://${HOST}`);
  const [, name] = /^\/api\/([a-z-]+)$/i.exec(pathname) ?? [];
  const allowed = name === undefined ? ['GET', 'HEAD'] : ['GET', 'POST'];
  if (!allowed.includes(method))
    return say(405, { error: `Send a ${allowed.join(' or ')}.` }, { allow: allowed.join(', ') });
  const { once, explorer, files } = site;
  if (once !== null && method === 'GET' && isSame(pathname, once.path)) {
    response.writeHead(303, { location: once.url, 'cache-control': 'no-store' }).end();
    site.once = null;
    return;
  }
  if (name === undefined) {
    const file = sentFile(files, pathname.slice(1), headers);
    return file === null ? say(404, { error: 'There is no such file.' }) : send(request, response, file);
  }
  if (!isBearer(headers.authorization, site.token))
    return say(401, { error: 'The token is wrong: open the URL that skillgate explore printed.' });
  if (method === 'POST' && headers['content-type'] !== 'application/json')
    return say(415, { error: 'Send JSON as application/json.' });
  const text = method === 'GET' ? '{}' : await readBody(request);
  if (text === null) return say(413, { error: `The request is larger than ${MAX_BODY} bytes.` });
  const { status, body } = await explorer.answer(name, parseJson(text), LOCAL);
  say(status, body);
}

/** Why a request is refused before it is read: it names another host, or comes from another page. */
function checkOrigin({ headers }: IncomingMessage, hosts: ReadonlySet<string>): string | null {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = headers;
  if (!hosts.has(host)) return 'This server answers only to its own address.';
  const isOwn = origin === undefined || hosts.has(origin.replace(/^http:\/\//, ''));
  const isFromHere = site === 'none' || site === 'same-origin';
  return isOwn && isFromHere ? null : 'This server answers only to its own page.';
}

const isBearer = (header: string | undefined, token: string) => isSame(header ?? '', `Bearer ${token}`);

/** Takes the same time for all texts of a length. */
function isSame(text: string, secret: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(text), digest(secret));
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, headers, bytes }: Sent): void {
  response.writeHead(status, headers);
  response.end(method === 'HEAD' ? undefined : bytes);
}

/** Port and token that stay the same when the page is started again, so that its links and open tabs survive. */
const Address = z.strictObject({
  port: z.int().min(1).max(65_535),
  token: z.string().regex(/^[\w-]{32,100}$/),
});
type Address = z.infer<typeof Address>;

/** Bytes of the file. */
const MAX_ADDRESS = 4_096;
const addressIn = (folder: string) => join(folder, 'explore-address.json');

/** Null where none is kept yet, or it is damaged. */
export function readAddress(folder: string): Address | null {
  try {
    return (
      Address.safeParse(
        parseJson(Buffer.from(readRegularSync(addressIn(folder), MAX_ADDRESS)).toString('utf8')),
      ).data ?? null
    );
  } catch (error) {
    if (error instanceof FileError && error.code === 'FILE_MISSING') return null;
    throw cannot('read', folder, error);
  }
}

/** Only this user can read it. */
export function keepAddress(folder: string, address: Address): void {
  try {
    mkdirSync(folder, { recursive: true });
    replaceFile(addressIn(folder), JSON.stringify(address), 0o600);
  } catch (error) {
    throw cannot('write', folder, error);
  }
}

const cannot = (verb: string, folder: string, cause: unknown) =>
  new AppError('SETTING_INVALID', `--keep cannot ${verb} ${addressIn(folder)}: ${errorMessage(cause)}.`, {
    cause,
  });
