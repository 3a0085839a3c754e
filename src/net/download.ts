/** An answer's body, read for as long and as far as the caller allows, and no further. */

import { NetError, netErrorOf, shownUrl } from './errors.ts';
import type { Fetch } from './guarded-fetch.ts';

export interface DownloadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes, counted after any content encoding: what a bomb unpacks to counts. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Time after which an answer that comes more slowly than this is given up. */
  readonly slow?: { readonly afterMs: number; readonly bytesPerSecond: number };
}

export interface Download {
  /** 200 or 304; all else is an error. */
  readonly status: number;
  readonly headers: Headers;
  /** Where the answer came from in the end. */
  readonly url: URL;
  /** Empty for 304. Rejects with `NetError`, or with the signal's reason. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A line of text a second, from the tenth second on: nobody serves a file like that. */
const SLOW = { afterMs: 10_000, bytesPerSecond: 100 };

export async function download(fetch: Fetch, url: URL, options: DownloadOptions): Promise<Download> {
  const { headers = {}, signal } = options;
  const response = await fetch(url, { headers: { ...headers }, signal });
  const { status } = response;
  if (status !== 200 && status !== 304) {
    await response.body?.cancel();
    const hint = status === 401 || status === 403 ? 'Check the headers that are sent' : 'Check the address';
    throw new NetError(
      'NET_STATUS',
      `${shownUrl(url)} answers with status ${status}. ${hint}, or try later.`,
    );
  }
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > options.maxBytes) {
    await response.body?.cancel();
    throw tooLarge(url, options.maxBytes);
  }
  return {
    status,
    headers: response.headers,
    url: new URL(response.url),
    bytes: pieces(response, url, options),
  };
}

/** The whole body. */
export async function bytesOf({ bytes }: Download): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of bytes) all.push(piece);
  return Buffer.concat(all);
}

async function* pieces(
  { body }: Response,
  url: URL,
  { maxBytes, signal, slow = SLOW }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let read = 0;
  let counted = 0;
  let crawls = false;
  // Looked at from outside: where nothing comes at all, no piece would tell.
  const timer = setInterval(() => {
    crawls = read - counted < (slow.bytesPerSecond * slow.afterMs) / 1_000;
    counted = read;
    if (crawls) reader.cancel().catch(() => {});
  }, slow.afterMs);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (crawls) throw tooSlow(url, slow.bytesPerSecond);
      if (done) return;
      read += value.length;
      if (read > maxBytes) throw tooLarge(url, maxBytes);
      yield value;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw netErrorOf(error, url);
  } finally {
    clearInterval(timer);
    reader.cancel().catch(() => {});
  }
}

function tooLarge(url: URL, maxBytes: number): NetError {
  const message = `${shownUrl(url)} sends more than the ${maxBytes} bytes that are left for it: raise maxBytes.`;
  return new NetError('NET_TOO_LARGE', message);
}

function tooSlow(url: URL, bytesPerSecond: number): NetError {
  const message = `${shownUrl(url)} sends fewer than ${bytesPerSecond} bytes a second and was given up. Try later.`;
  return new NetError('NET_SLOW', message);
}
