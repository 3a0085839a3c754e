/** Downloads within limits of size, time and speed. */

import { NetError, shownUrl, toNetError } from './errors.ts';
import type { Fetch } from './guarded-fetch.ts';

export interface DownloadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes, counted after content decoding, so that a compression bomb is caught. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** An answer slower than this over any period of `afterMs` is given up. */
  readonly slow?: { readonly afterMs: number; readonly bytesPerSecond: number };
}

export interface Download {
  /** 200 or 304; any other status is an error. */
  readonly status: number;
  readonly headers: Headers;
  /** The final URL, after redirects. */
  readonly url: URL;
  /** Empty for 304. Rejects with `NetError`, or with the signal's reason. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** About a line of text per second: no working server is that slow. */
const SLOW = { afterMs: 10_000, bytesPerSecond: 100 };

export async function download(fetch: Fetch, url: URL, options: DownloadOptions): Promise<Download> {
  const { headers = {}, signal } = options;
  const response = await fetch(url, { headers: { ...headers }, signal });
  const { status } = response;
  if (status !== 200 && status !== 304) {
    await response.body?.cancel();
    const hint = status === 401 || status === 403 ? 'Check the configured headers' : 'Check the address';
    throw new NetError(
      'NET_STATUS',
      `${shownUrl(url)} answers with status ${status}. ${hint}, or try later.`,
      { data: { status } },
    );
  }
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > options.maxBytes) {
    await response.body?.cancel();
    throw sizeError(url, options);
  }
  return {
    status,
    headers: response.headers,
    url: new URL(response.url),
    bytes: chunks(response, url, options),
  };
}

/** The whole body. */
export async function collectBytes({ bytes }: Download): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of bytes) all.push(chunk);
  return Buffer.concat(all);
}

async function* chunks({ body }: Response, url: URL, options: DownloadOptions): AsyncGenerator<Uint8Array> {
  const { maxBytes, signal, slow = SLOW } = options;
  if (body === null) return;
  const reader = body.getReader();
  let read = 0;
  let readBefore = 0;
  let tooSlow = false;
  // A timer, since a check per chunk would never run if no chunk comes.
  const timer = setInterval(() => {
    tooSlow = read - readBefore < (slow.bytesPerSecond * slow.afterMs) / 1_000;
    readBefore = read;
    if (tooSlow) reader.cancel().catch(() => {});
  }, slow.afterMs);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (tooSlow) throw slowError(url, slow.bytesPerSecond);
      if (done) return;
      read += value.length;
      if (read > maxBytes) throw sizeError(url, options);
      yield value;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toNetError(error, url);
  } finally {
    clearInterval(timer);
    reader.cancel().catch(() => {});
  }
}

function sizeError(url: URL, { maxBytes }: DownloadOptions): NetError {
  const message = `${shownUrl(url)} sends more than ${maxBytes} bytes. That limit is fixed: ask its publisher for less.`;
  return new NetError('NET_TOO_LARGE', message);
}

function slowError(url: URL, bytesPerSecond: number): NetError {
  const message = `${shownUrl(url)} sends fewer than ${bytesPerSecond} bytes a second and was given up. Try later.`;
  return new NetError('NET_SLOW', message);
}
