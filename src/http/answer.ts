/** Writes answers: our own short ones, and the SDK's within limits of size and client speed. */

import type { ServerResponse } from 'node:http';
import { CodedError } from '../errors/public.ts';

/** Bytes per write: a client's progress is checked after each. */
const PIECE_BYTES = 64 * 2 ** 10;
/** A client that reads nothing for this time, ms, is disconnected. */
const STALL_MS = 30_000;

export type Headers = Readonly<Record<string, string>>;

/** `RESPONSE_TOO_LARGE`: the answer is larger than its limit. */
export class ResponseError extends CodedError<'RESPONSE_TOO_LARGE'> {
  override readonly name = 'ResponseError';
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

interface RpcError {
  /** Null if the request has no id. */
  readonly id?: string | number | null;
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** A JSON-RPC error with an HTTP status. */
export function answerRpcError(
  response: ServerResponse,
  status: number,
  error: RpcError,
  headers: Headers = {},
): void {
  answerJson(response, status, rpcError(error), headers);
}

/** The error as an event of a stream. */
export const rpcErrorEvent = (error: RpcError): string =>
  `event: message\ndata: ${JSON.stringify(rpcError(error))}\n\n`;

const rpcError = ({ id = null, ...error }: RpcError) => ({ jsonrpc: '2.0', id, error });

export interface SendLimits {
  readonly maxBytes: number;
  readonly headers?: Headers;
  readonly stallMs?: number;
  /** Called at the end of a stream; its result is appended. */
  readonly last?: () => string;
}

/**
 * Writes a web response and resolves with the size of its body in bytes. Rejects with `ResponseError`: nothing of a JSON
 * answer has been sent then, and a stream stops after a whole chunk and the caller must end it. A client that disconnects
 * or stalls ends the answer without an error.
 */
export async function send(
  from: Response,
  to: ServerResponse,
  { maxBytes, headers = {}, stallMs = STALL_MS, last = () => '' }: SendLimits,
): Promise<number> {
  const isStream = from.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const head: Record<string, string> = { ...Object.fromEntries(from.headers), ...headers };
  if (isStream) {
    to.writeHead(from.status, head);
    to.flushHeaders();
    const bytes = await stream(from, to, maxBytes, stallMs);
    to.end(last());
    return bytes;
  }
  const body = await collected(from, maxBytes);
  to.writeHead(from.status, { ...head, 'content-length': String(body.length) });
  for (let at = 0; at < body.length && !to.destroyed; at += PIECE_BYTES)
    await written(to, body.subarray(at, at + PIECE_BYTES), stallMs);
  to.end();
  return body.length;
}

const tooLarge = (maxBytes: number) =>
  new ResponseError('RESPONSE_TOO_LARGE', `The answer is larger than ${maxBytes} bytes.`);

async function collected(from: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(from)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
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
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    await written(to, chunk, stallMs);
  }
  return bytes;
}

/** Ends with the stream; cancels it if the consumer stops early. */
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

/** Waits until the client reads on or has disconnected. */
async function written(to: ServerResponse, piece: Uint8Array, stallMs: number): Promise<void> {
  if (to.write(piece) || to.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => to.destroy(), stallMs);
    const proceed = () => {
      clearTimeout(timer);
      to.off('drain', proceed);
      to.off('close', proceed);
      resolve();
    };
    to.on('drain', proceed);
    to.on('close', proceed);
  });
}
