/**
 * `fetch` for untrusted addresses: HTTPS and public addresses only, whatever names, redirects or a second DNS answer
 * say. The address is checked when the connection is made, so DNS rebinding cannot get around the check.
 *
 * At most five redirects are followed, each under the same rules. The caller's headers stay with the origin they were
 * meant for. Limits on size and time are set by the caller: see `download.ts`.
 */

import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici';
import { NetError, shownUrl, toNetError } from './errors.ts';

export interface GuardOptions {
  /** Origins (`http://10.0.0.5:8080`) that may be private and without TLS. Their redirect targets may not. */
  readonly privateOrigins: readonly string[];
  /** DNS lookup. Default: the system's. */
  readonly lookup?: LookupFunction;
  /** Longest wait for the first byte of an answer and between two chunks, ms; 0 is no limit. Default: 30 s. */
  readonly silenceMs?: number;
}

/** The part of the platform's `fetch` that transports need. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Guard {
  readonly fetch: Fetch;
  /** For callers with their own client: checks connections, but neither redirects nor HTTPS. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 5;
/** Longest time to connect, ms. */
const CONNECT_MS = 10_000;
/** Longest wait for the first byte of an answer, and between two chunks, ms. */
const SILENCE_MS = 30_000;
/** Bytes of an answer's headers. */
const MAX_HEADER_BYTES = 32_768;
/** Headers that say nothing about the caller: only these are sent on to another origin. */
const ANONYMOUS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'user-agent',
]);

export function openGuard({
  privateOrigins,
  lookup = systemLookup,
  silenceMs = SILENCE_MS,
}: GuardOptions): Guard {
  const trusted = new Set(privateOrigins);
  const dispatcher = new Agent({
    connect: guardedConnector(trusted, lookup),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
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
  const guarded = buildConnector({ timeout: CONNECT_MS, lookup: publicLookup(lookup, trusted) });
  return (options, callback) => {
    const origin = new URL(`${options.protocol}//${options.host ?? options.hostname}`).origin;
    if (trusted.has(origin)) {
      open(options, callback);
      return;
    }
    // A literal address needs no lookup, so `publicLookup` would not see it.
    const literal = addressLiteral(options.hostname);
    if (literal !== null && !isPublicAddress(literal)) {
      callback(privateAddress(options.hostname, trusted), null);
      return;
    }
    guarded(options, callback);
  };
}

/** A lookup that yields public addresses only. A socket connects to what its lookup yields, without asking again. */
export function publicLookup(
  lookup: LookupFunction,
  trusted: ReadonlySet<string> = new Set(),
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error !== null) {
        callback(error, [], 0);
        return;
      }
      const all = typeof found === 'string' ? [{ address: found, family }] : found;
      const open = all.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (first === undefined) callback(privateAddress(hostname, trusted), [], 0);
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
    // The caller follows the redirect itself, through this fetch.
    if (init.redirect === 'manual') return response;
    await response.body?.cancel();
    if (init.redirect === 'error') {
      throw new NetError('NET_REFUSED', `${shownUrl(url)} redirects, which is not allowed here.`);
    }
    if (redirects === MAX_REDIRECTS) {
      const message = `${shownUrl(given)} redirects more than ${MAX_REDIRECTS} times: give the last address.`;
      throw new NetError('NET_REFUSED', message);
    }
    if (!URL.canParse(location, url.href)) {
      throw new NetError('NET_REFUSED', `${shownUrl(url)} redirects to something that is not a URL.`);
    }
    const next = new URL(location, url);
    request = redirected(request, response.status, next.origin === url.origin);
    url = next;
  }
}

async function once(url: URL, init: RequestInit, dispatcher: Dispatcher): Promise<Response> {
  const { method, body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw new TypeError('A guarded fetch sends text only: a stream cannot be sent again after a redirect.');
  }
  const headers = Object.fromEntries(new Headers(init.headers));
  try {
    const response = await undiciFetch(url, {
      method,
      ...(typeof body === 'string' ? { body } : {}),
      signal,
      headers,
      redirect: 'manual',
      dispatcher,
    });
    return response;
  } catch (error) {
    signal?.throwIfAborted();
    throw toNetError(error, url);
  }
}

/** The next request, as the Fetch standard says: 303, and 301 or 302 after POST, repeat as GET. */
function redirected(init: RequestInit, status: number, sameOrigin: boolean): RequestInit {
  const { method } = init;
  const becomesGet = (status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST');
  const headers = new Headers(init.headers);
  for (const name of [...headers.keys()]) {
    if (!sameOrigin && !ANONYMOUS_HEADERS.has(name)) headers.delete(name);
  }
  if (!becomesGet) return { ...init, headers };
  headers.delete('content-type');
  const { body: _, ...rest } = init;
  return { ...rest, method: 'GET', headers };
}

/** Throws `NET_REFUSED` for a URL that is never requested, whatever its name leads to. `trusted`: origins that may be private. */
export function permit(url: URL, trusted: ReadonlySet<string>): void {
  if (url.username !== '' || url.password !== '') {
    const message = `${shownUrl(url)} has a user or password in it: send a header instead.`;
    throw new NetError('NET_REFUSED', message);
  }
  if (trusted.has(url.origin)) return;
  if (url.protocol !== 'https:') {
    const message = `${shownUrl(url)} is not HTTPS and was not requested: give an https:// address${orAllow(trusted)}`;
    throw new NetError('NET_REFUSED', message);
  }
  const literal = addressLiteral(url.hostname);
  if (literal !== null && !isPublicAddress(literal)) throw privateAddress(url.hostname, trusted);
}

function privateAddress(hostname: string, trusted: ReadonlySet<string>): NetError {
  const message = `${hostname} is a private address and was not contacted: give a public one${orAllow(trusted)}`;
  return new NetError('NET_REFUSED', message);
}

/** `allowPrivate` covers the configured origin only, so setting it again would not help. */
const orAllow = (trusted: ReadonlySet<string>) =>
  trusted.size === 0
    ? ', or set allowPrivate.'
    : `. allowPrivate is set, and covers only ${[...trusted].join(', ')}.`;

/** Public by number, but the metadata service of a cloud (Azure). */
const METADATA = new Set(['168.63.129.16']);
/** Global unicast IPv6: RFC 4291, section 2.4, and IANA's registry. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for global unicast addresses only. False for loopback, private, shared, link-local, unique-local, reserved,
 * multicast and documentation addresses, for IPv6 forms of such IPv4 addresses, and for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_IPV6);
  return !METADATA.has(parsed.toString());
}

/** The address if a URL's host is one, null for a name. */
export function addressLiteral(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}
