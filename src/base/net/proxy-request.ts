/** Plain HTTP requests to a proxy: their target, and the headers that are forwarded. */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

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
export function targetOf(url: string): { readonly authority: string; readonly path: string } | null {
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
