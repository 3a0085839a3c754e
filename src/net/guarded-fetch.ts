/**
 * `fetch` for addresses that others give us: over HTTPS and to public addresses only, whatever names, redirects or a
 * second answer of the name server say. The address is checked where the connection is made, so that what was
 * checked is what is spoken to.
 *
 * Redirects are followed here, at most five, each under the same rules; what a caller sends beside the address stays
 * with the origin that it was meant for. How much is read and for how long is the caller's affair: see `download.ts`.
 */

import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici';
import { isPublicAddress, literalOf } from './addresses.ts';
import { NetError, netErrorOf, shownUrl } from './errors.ts';

export interface GuardOptions {
  /** Origins (`http://10.0.0.5:8080`) that may be private and without TLS. What they redirect to may not. */
  readonly privateOrigins: readonly string[];
  /** Asks the name server; the system's unless a test stands in for it. */
  readonly lookup?: LookupFunction;
  /** Longest wait for the first byte of an answer and between two pieces, ms; 0 for ever. Default: 30 s. */
  readonly patienceMs?: number;
}

/** The `fetch` of the platform as far as transports need it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Guard {
  readonly fetch: Fetch;
  /** For callers with a client of their own: checks connections, but neither redirects nor HTTPS. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 5;
/** To connect; to the first byte of an answer, and between two pieces of one, ms. */
const CONNECT_MS = 10_000;
const PATIENCE_MS = 30_000;
/** Bytes of an answer's headers. */
const MAX_HEADER_BYTES = 32_768;
/** Headers that say nothing about the caller; no others go along to another origin. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

export function openGuard({
  privateOrigins,
  lookup = systemLookup,
  patienceMs = PATIENCE_MS,
}: GuardOptions): Guard {
  const trusted = new Set(privateOrigins);
  const dispatcher = new Agent({
    connect: guardedConnector(trusted, lookup),
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  return {
    dispatcher,
    fetch: (url, init) => follow(new URL(String(url)), init ?? {}, trusted, dispatcher),
    close: () => dispatcher.destroy(),
  };
}

function guardedConnector(trusted: ReadonlySet<string>, lookup: LookupFunction): buildConnector.connector {
  const open = buildConnector({ timeout: CONNECT_MS, lookup });
  const guarded = buildConnector({ timeout: CONNECT_MS, lookup: publicLookup(lookup) });
  return (options, callback) => {
    const origin = new URL(`${options.protocol}//${options.host ?? options.hostname}`).origin;
    if (trusted.has(origin)) {
      open(options, callback);
      return;
    }
    // A literal address is connected to without a lookup.
    const literal = literalOf(options.hostname);
    if (literal !== null && !isPublicAddress(literal)) {
      callback(privateAddress(options.hostname), null);
      return;
    }
    guarded(options, callback);
  };
}

/** Gives public addresses only; a socket connects to what its lookup gave it, without asking again. */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, [], 0);
        return;
      }
      const all = typeof found === 'string' ? [{ address: found, family: 0 }] : found;
      const open = all.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (first === undefined) callback(privateAddress(hostname), [], 0);
      else if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

async function follow(
  given: URL,
  init: RequestInit,
  trusted: ReadonlySet<string>,
  dispatcher: Dispatcher,
): Promise<Response> {
  let url = given;
  let request = init;
  for (let redirects = 0; ; redirects++) {
    permit(url, trusted);
    const response = await once(url, request, dispatcher);
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    // The caller follows by itself, through here again.
    if (init.redirect === 'manual') return response;
    await response.body?.cancel();
    if (init.redirect === 'error') {
      throw new NetError('NET_REFUSED', `${shownUrl(url)} redirects, which is not wanted here.`);
    }
    if (redirects === MAX_REDIRECTS) {
      const message = `${shownUrl(given)} redirects more than ${MAX_REDIRECTS} times: give the last address.`;
      throw new NetError('NET_REFUSED', message);
    }
    if (!URL.canParse(location, url.href)) {
      throw new NetError('NET_REFUSED', `${shownUrl(url)} redirects to what is no URL.`);
    }
    const next = new URL(location, url);
    request = redirected(request, response.status, next.origin === url.origin);
    url = next;
  }
}

async function once(url: URL, init: RequestInit, dispatcher: Dispatcher): Promise<Response> {
  const { method, body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw new TypeError(
      'A guarded fetch sends text only: a stream could not be sent again after a redirect.',
    );
  }
  const headers = Object.fromEntries(new Headers(init.headers));
  try {
    const response = await undiciFetch(url, {
      ...(method === undefined ? {} : { method }),
      ...(typeof body === 'string' ? { body } : {}),
      ...(signal === undefined ? {} : { signal }),
      headers,
      redirect: 'manual',
      dispatcher,
    });
    return response;
  } catch (error) {
    signal?.throwIfAborted();
    throw netErrorOf(error, url);
  }
}

/** As the Fetch standard has it: 303, and 301 or 302 after POST, ask again by GET. */
function redirected(init: RequestInit, status: number, sameOrigin: boolean): RequestInit {
  const method = init.method ?? 'GET';
  const becomesGet = (status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST');
  const headers = new Headers(init.headers);
  for (const name of [...headers.keys()]) {
    if (!sameOrigin && !HARMLESS.has(name)) headers.delete(name);
  }
  if (!becomesGet) return { ...init, headers };
  headers.delete('content-type');
  const { body: _, ...rest } = init;
  return { ...rest, method: 'GET', headers };
}

function permit(url: URL, trusted: ReadonlySet<string>): void {
  if (url.username !== '' || url.password !== '') {
    const message = `${shownUrl(url)} was given with a user or password in it: send a header instead.`;
    throw new NetError('NET_REFUSED', message);
  }
  if (trusted.has(url.origin)) return;
  if (url.protocol !== 'https:') {
    const message = `${shownUrl(url)} is not asked, since it is not HTTPS: give an https:// address, or set allowPrivate.`;
    throw new NetError('NET_REFUSED', message);
  }
  const literal = literalOf(url.hostname);
  if (literal !== null && !isPublicAddress(literal)) throw privateAddress(url.hostname);
}

function privateAddress(hostname: string): NetError {
  const message = `${hostname} is a private address and is not asked: give a public one, or set allowPrivate.`;
  return new NetError('NET_REFUSED', message);
}
