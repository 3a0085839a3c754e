/** The rule against slow answers, by a clock that the test moves. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { download } from '../../../extensions/net/download.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Reads an answer that gives these bytes in each second, and ends at the start of the next one. */
async function read(perSecond: readonly number[], bytesPerSecond: number) {
  let cancelled = 0;
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      out = controller;
    },
    cancel: () => {
      cancelled += 1;
    },
  });
  const answer = Object.defineProperty(new Response(body), 'url', { value: 'https://example.org/a' });
  const { bytes } = await download(async () => answer, new URL('https://example.org/a?key=secret'), {
    maxBytes: 10_000,
    signal: new AbortController().signal,
    slow: { afterMs: 1_000, bytesPerSecond },
  });
  const chunks = bytes[Symbol.asyncIterator]();
  let waiting = chunks.next();
  for (const size of perSecond) {
    if (size > 0) {
      out?.enqueue(new Uint8Array(size));
      await waiting;
      waiting = chunks.next();
    }
    vi.advanceTimersByTime(1_000);
  }
  if (cancelled === 0) out?.close();
  const end = await waiting.then(
    ({ done }) => (done === true ? 'complete' : 'more'),
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  );
  return { end, cancelled, timers: vi.getTimerCount() };
}

it.each([
  ['as fast as allowed', [100, 100, 100], 100],
  ['one byte at least', [1, 1], 1],
  ['silent, where nothing is too slow', [0, 0, 5], 0],
])('reads an answer to its end that is %s', async (_, perSecond, least) => {
  expect(await read(perSecond, least)).toEqual({ end: 'complete', cancelled: 0, timers: 0 });
});

it.each([
  ['a little too slow', [99], 100],
  ['slow after a fast second', [5_000, 99], 100],
  ['silent from its start', [0], 1],
  ['silent after a fast second', [5_000, 0], 1],
])('gives up on an answer that is %s, and closes it', async (_, perSecond, least) => {
  const { end, cancelled, timers } = await read(perSecond, least);
  expect(end).toMatch(new RegExp(`^NET_SLOW https://example\\.org/a .*${least} bytes a second`));
  expect([cancelled, timers]).toEqual([1, 0]);
});
