/** What a proxy is asked in plain HTTP, and which of its headers go on. */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Between two neighbours only: RFC 9110, section 7.6.1, and those that older clients send. */
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

/** Authority with its port, and the path; null for what is no absolute `http://` address. */
export function targetOf(url: string): { readonly authority: string; readonly path: string } | null {
  const [, authority = '', path = ''] = /^http:\/\/([^/?#\\\s]+)([/?][^#\s]*)?$/i.exec(url) ?? [];
  if (authority === '') return null;
  return {
    authority: authority.includes(':') ? authority : `${authority}:${HTTP_PORT}`,
    path: path.startsWith('/') ? path : `/${path}`,
  };
}

/** `host` takes the place of what was said there, so that nothing is asked of a neighbour at the same address. */
export function forwardedHeaders(headers: IncomingHttpHeaders, host: string | null): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  const kept = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.includes(name) && !(named.includes(name) && !isFraming(name)) && name !== 'host',
  );
  return { ...Object.fromEntries(kept), connection: 'close', ...(host !== null && { host }) };
}

/** A body keeps the frame that it came in: without one it would be taken for the next request. */
const isFraming = (name: string) => name === 'transfer-encoding' || name === 'content-length';
