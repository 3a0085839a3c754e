/** What the page's servers send: its built files and its answers, compressed for all who take that, and the headers of both. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Sent } from '../../src/app/extension-api.ts';
import { Packed } from './work.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * For every answer. The page runs its own files alone: no inline script, no other style, no request to anywhere else, no frame
 * around it. Trusted Types refuse markup that is made of text, such as a skill's.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

type Headers = Sent['headers'];

/** By path relative to the page, such as `assets/index-1f0c.js`; the page itself is at the empty path. */
export type Files = ReadonlyMap<string, { readonly headers: Headers; readonly gzip: Uint8Array }>;

/** Reads the built page. Throws a system error where it is not built. */
export function readFiles(folder: string): Files {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return new Map(
    files.map((file) => {
      const absolute = join(file.parentPath, file.name);
      const path = absolute.slice(folder.length + 1).replaceAll('\\', '/');
      const isPage = path === 'index.html';
      const bytes = readFileSync(absolute);
      const headers = {
        ...PAGE_HEADERS,
        ...(isPage && { 'content-security-policy': policyFor(bytes.toString()) }),
        'content-type': TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
        // Names of other files hold a hash of their contents.
        'cache-control': isPage ? 'no-cache' : 'private, max-age=31536000, immutable',
        vary: 'accept-encoding',
      };
      return [isPage ? '' : path, { headers, gzip: gzipSync(bytes) }];
    }),
  );
}

/** The page's own style is part of its HTML, which is painted at once: allowed by its hash. */
function policyFor(html: string): string {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  return PAGE_HEADERS['content-security-policy']!.replace("style-src 'self'", `style-src 'sha256-${hash}'`);
}

/** A file of the page, or null where it has none of this path. */
export function sentFile(files: Files, path: string, wanted: IncomingHttpHeaders): Sent | null {
  const file = files.get(path);
  return file === undefined ? null : sentGzip(200, file.headers, file.gzip, wanted);
}

/** An answer. What took long to compute stays in the browser's cache, which asks whether it is still the same. */
export function sentAnswer(status: number, body: object, wanted: IncomingHttpHeaders): Sent {
  const headers = { ...PAGE_HEADERS, 'content-type': 'application/json' };
  if (!(body instanceof Packed))
    return sent(status, { ...headers, 'cache-control': 'no-store' }, Buffer.from(JSON.stringify(body)));
  const etag = `W/"${createHash('sha256').update(body.bytes).digest('base64url')}"`;
  const cached = { 'cache-control': 'private, no-cache', vary: 'accept-encoding, authorization', etag };
  return wanted['if-none-match'] === etag
    ? { status: 304, headers: { ...headers, ...cached }, bytes: Buffer.alloc(0) }
    : sentGzip(status, { ...headers, ...cached }, body.bytes, wanted);
}

/** Compressed, unless the client takes only the plain form. */
const sentGzip = (status: number, headers: Headers, gzip: Uint8Array, wanted: IncomingHttpHeaders): Sent =>
  /\bgzip\b/.test(String(wanted['accept-encoding']))
    ? sent(status, { ...headers, 'content-encoding': 'gzip' }, gzip)
    : sent(status, headers, gunzipSync(gzip));

const sent = (status: number, headers: Headers, bytes: Uint8Array): Sent => ({
  status,
  headers: { ...headers, 'content-length': String(bytes.length) },
  bytes,
});

export const redirect = (location: string): Sent => ({
  status: 308,
  headers: { ...PAGE_HEADERS, location },
  bytes: new Uint8Array(),
});
