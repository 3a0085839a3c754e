/**
 * Which hosts and origins are ours. A web page in somebody's browser is no client: a request whose `Host` or `Origin`
 * is another's is refused before it is read, so that neither rebinding a name nor a form on a page gets through.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';
import { inUrl } from '../loopback.ts';

export interface GuardOptions {
  readonly host: string;
  readonly publicUrl?: URL | undefined;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
}

/** Null lets it pass; otherwise the request has been answered, and the word says why. */
export type Guard = (request: IncomingMessage, response: ServerResponse) => 'host' | 'origin' | null;

export function guard({ host, publicUrl, allowedHosts = [], allowedOrigins = [] }: GuardOptions): Guard {
  const own = [inUrl(host), ...(publicUrl === undefined ? [] : [publicUrl.hostname])];
  const isHost = hostHeaderValidation([
    ...localhostAllowedHostnames(),
    ...own,
    ...allowedHosts.map(hostnameOf),
  ]);
  const isOriginHost = originValidation([
    ...localhostAllowedOrigins(),
    ...own,
    ...allowedOrigins.filter((origin) => !isExact(origin)),
  ]);
  const isOrigin = exactly(allowedOrigins);
  return (request, response) => {
    if (!isHost(request, response)) return 'host';
    return isOrigin(request.headers.origin) || isOriginHost(request, response) ? null : 'origin';
  };
}

/**
 * Headers that let a page of a configured origin read the answers. Pages of this machine may ask (they are not other
 * people's), but without these their browser shows them nothing.
 */
export function crossOrigin(allowedOrigins: readonly string[] = []) {
  const isOrigin = exactly(allowedOrigins);
  return ({ headers: { origin } }: IncomingMessage): Readonly<Record<string, string>> =>
    origin !== undefined && isOrigin(origin)
      ? {
          'access-control-allow-origin': origin,
          'access-control-expose-headers': 'WWW-Authenticate, Retry-After',
          vary: 'Origin',
        }
      : {};
}

/** What a browser wants to know before it asks. */
export const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID',
  'access-control-max-age': '600',
};

function exactly(allowed: readonly string[]): (origin: string | undefined) => boolean {
  const exact = new Set(allowed.filter(isExact).map((origin) => new URL(origin).origin));
  return (origin) => origin !== undefined && exact.has(origin);
}

/** `https://app.example:8443`; `moz-extension://*` is a form that the SDK knows. */
const isExact = (origin: string) => /^https?:\/\/[^*]/.test(origin) && URL.canParse(origin);

/** Without the port, which the SDK does not compare. */
const hostnameOf = (host: string) =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
