/** The built page as files in memory, and the headers under which a browser runs it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * For every answer. The page runs its own files alone: no inline script or style, no request to anywhere else, no frame
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

export interface Asset {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Assets by path relative to the page, such as `assets/index-1f0c.js`; the page itself is at the empty path. */
export type Assets = ReadonlyMap<string, Asset>;

/** Reads the built page. Throws a system error where it is not built. */
export function readAssets(folder: string): Assets {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return new Map(
    files.map((file) => {
      const absolute = join(file.parentPath, file.name);
      const path = absolute.slice(folder.length + 1).replaceAll('\\', '/');
      const isPage = path === 'index.html';
      const headers = {
        ...PAGE_HEADERS,
        'content-type': TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
        // Names of other files hold a hash of their contents.
        'cache-control': isPage ? 'no-cache' : 'private, max-age=31536000, immutable',
      };
      return [isPage ? '' : path, { bytes: readFileSync(absolute), headers }];
    }),
  );
}
