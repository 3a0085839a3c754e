/**
 * Allowed hosts and origins. A request with a foreign `Host` or `Origin`, or a picture or frame of another site, is refused before it
 * is read, which stops DNS rebinding and requests from web pages.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';
import { answerRpcError, type Headers } from './answer.ts';
import { inUrl } from './listen.ts';

export interface GuardOptions {
  readonly host: string;
  readonly publicUrl?: URL | undefined;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
}

/** Most headers of a request: only proxies send dozens. */
const MAX_HEADERS = 100;
/** A host with an optional port. `user@localhost` and `localhost/x` name localhost to a parser of URLs. */
const HOST = /^[\w.:[\]-]+$/;

/** Whether a parser of URLs reads the host as it is written: `127.1` and `0x7f000001` it reads as 127.0.0.1. */
const isPlainHost = (host: string) =>
  HOST.test(host) && parsedHost(host) === host.toLowerCase().replace(/:\d*$/, '');

/** Without the port, as a parser of URLs reads it; null where it cannot. */
const parsedHost = (host: string) =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;

/** Null if the request is allowed; otherwise it has been answered, and the result says why. */
export type Guard = (
  request: IncomingMessage,
  response: ServerResponse,
) => 'headers' | 'host' | 'origin' | null;

export function guard({ host, publicUrl, allowedHosts = [], allowedOrigins = [] }: GuardOptions): Guard {
  const own = [inUrl(host), ...(publicUrl === undefined ? [] : [publicUrl.hostname])];
  const isHost = hostHeaderValidation([
    ...localhostAllowedHostnames(),
    ...own,
    ...allowedHosts.map(toHostname),
  ]);
  const isOriginHost = originValidation([
    ...localhostAllowedOrigins(),
    ...own,
    ...allowedOrigins.filter((origin) => !isExact(origin)),
  ]);
  const isOrigin = exactly(allowedOrigins);
  return (request, response) => {
    const { headers, rawHeaders } = request;
    if (rawHeaders.length / 2 > MAX_HEADERS) {
      refuse(response, 431, `The request has more than ${MAX_HEADERS} headers.`);
      return 'headers';
    }
    if (headers.host !== undefined && !isPlainHost(headers.host)) {
      refuse(response, 400, 'The Host header must be a host name or address, with a port if needed.');
      return 'host';
    }
    if (!isHost(request, response)) return 'host';
    if (isOrigin(headers.origin)) return null;
    if (!isOriginHost(request, response)) return 'origin';
    if (!isEmbedded(headers)) return null;
    refuse(response, 403, 'A page of another site must not embed this address.');
    return 'origin';
  };
}

/** A picture, script or frame of another site: browsers send those without an `Origin`. A link to here is a navigation. */
const isEmbedded = ({
  origin,
  'sec-fetch-site': site,
  'sec-fetch-dest': destination,
}: IncomingMessage['headers']) => origin === undefined && site === 'cross-site' && destination !== 'document';

const refuse = (response: ServerResponse, status: number, message: string) =>
  answerRpcError(response, status, { code: -32_000, message }, { connection: 'close' });

/** CORS headers for the page of a request that the guard has let pass: a page that may ask may read the answer. */
export const crossOrigin = ({ headers: { origin } }: IncomingMessage): Headers =>
  origin === undefined || origin === ''
    ? {}
    : {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'WWW-Authenticate, Retry-After, Mcp-Session-Id',
        vary: 'Origin',
      };

/** Headers of the answer to a preflight request. */
export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID',
  'access-control-max-age': '600',
};

function exactly(allowed: readonly string[]): (origin: string | undefined) => boolean {
  const exact = new Set(allowed.filter(isExact).map((origin) => new URL(origin).origin));
  return (origin) => origin !== undefined && exact.has(origin);
}

/** `https://app.example:8443`; the SDK handles forms such as `moz-extension://*`. */
const isExact = (origin: string) => /^https?:\/\/[^*]/.test(origin) && URL.canParse(origin);

/** Without the port: the SDK compares host names only. */
const toHostname = (host: string) => parsedHost(host) ?? host;
