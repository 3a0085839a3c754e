/**
 * Allowed hosts and origins. A request with a foreign `Host` or `Origin` is refused before it is read, which stops DNS
 * rebinding and requests from web pages.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';
import { inUrl } from './loopback.ts';

export interface GuardOptions {
  readonly host: string;
  readonly publicUrl?: URL | undefined;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
}

/** Null if the request is allowed; otherwise it has been answered, and the result says why. */
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
 * CORS headers for pages of a configured origin. Pages of this machine may send requests but get no CORS headers, so
 * their browser does not let them read the answers.
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

/** Headers of the answer to a preflight request. */
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

/** `https://app.example:8443`; the SDK handles forms such as `moz-extension://*`. */
const isExact = (origin: string) => /^https?:\/\/[^*]/.test(origin) && URL.canParse(origin);

/** Without the port: the SDK compares host names only. */
const hostnameOf = (host: string) =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
