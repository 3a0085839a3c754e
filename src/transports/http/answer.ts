/** Writing answers: short ones of our own, and the SDK's, within a size and no slower than a client may read. */

import type { ServerResponse } from 'node:http';

/** A piece that is written at once, bytes: progress is seen piece by piece. */
const PIECE_BYTES = 64 * 2 ** 10;
/** A client that takes none of it for so long has gone, whatever its connection says, ms. */
const STALL_MS = 30_000;

export type Headers = Readonly<Record<string, string>>;

/** Longer than it may be: nothing, or no more, has been sent. */
export class ResponseTooLong extends Error {
  override readonly name = 'ResponseTooLong';
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Headers = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  response.end(text);
}

/** An error as JSON-RPC clients read it, under an HTTP status that says the same. */
export function answerRpcError(
  response: ServerResponse,
  status: number,
  error: {
    readonly id?: string | number | null;
    readonly code: number;
    readonly message: string;
    readonly data?: object;
  },
  headers: Headers = {},
): void {
  const { id = null, ...rest } = error;
  answerJson(response, status, { jsonrpc: '2.0', id, error: rest }, headers);
}

export interface SendLimits {
  readonly maxBytes: number;
  readonly headers?: Headers;
  readonly stallMs?: number;
}

/**
 * Writes a web response and resolves with the bytes of its body. Rejects with `ResponseTooLong`: of a JSON answer
 * nothing was sent then, a stream is cut. A client that goes away or stalls ends it without an error.
 */
export async function send(
  from: Response,
  to: ServerResponse,
  { maxBytes, headers = {}, stallMs = STALL_MS }: SendLimits,
): Promise<number> {
  const isStream = from.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const head: Record<string, string> = { ...Object.fromEntries(from.headers), ...headers };
  if (isStream) {
    to.writeHead(from.status, head);
    to.flushHeaders();
    return stream(from, to, maxBytes, stallMs);
  }
  const body = await collected(from, maxBytes);
  to.writeHead(from.status, { ...head, 'content-length': String(body.length) });
  for (let at = 0; at < body.length && !to.destroyed; at += PIECE_BYTES)
    await written(to, body.subarray(at, at + PIECE_BYTES), stallMs);
  to.end();
  return body.length;
}

async function collected(from: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(from)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ResponseTooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function stream(
  from: Response,
  to: ServerResponse,
  maxBytes: number,
  stallMs: number,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunksOf(from)) {
    if (to.destroyed) break;
    bytes += chunk.length;
    if (bytes > maxBytes) {
      to.destroy();
      throw new ResponseTooLong();
    }
    await written(to, chunk, stallMs);
  }
  to.end();
  return bytes;
}

/** Ends where the stream does, and where it breaks: its other end is gone then. */
async function* chunksOf(from: Response): AsyncGenerator<Uint8Array> {
  if (from.body === null) return;
  const reader = from.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Waits until the client takes more, or has gone. */
async function written(to: ServerResponse, piece: Uint8Array, stallMs: number): Promise<void> {
  if (to.write(piece) || to.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => to.destroy(), stallMs);
    const go = () => {
      clearTimeout(timer);
      to.off('drain', go);
      to.off('close', go);
      resolve();
    };
    to.on('drain', go);
    to.on('close', go);
  });
}
