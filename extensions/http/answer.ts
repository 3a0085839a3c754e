/** Writes answers: our own short ones, and the SDK's within limits of size and client speed. */

import type { ServerResponse } from 'node:http';

/** Bytes per write: a client's progress is checked after each. */
const PIECE_BYTES = 64 * 2 ** 10;
/** A client that reads nothing for this time, ms, is disconnected. */
const STALL_MS = 30_000;

export type Headers = Readonly<Record<string, string>>;

/**
 * A request that is not answered, or an answer that is not sent: `reason` is a fixed word for log and metrics, the
 * message says to the caller what to do.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: string;
  readonly status: number;
  /** JSON-RPC; default: a general server error. */
  readonly code: number;
  readonly data: object | undefined;
  readonly headers: Headers;

  constructor(
    reason: string,
    status: number,
    message: string,
    {
      code = -32_000,
      data,
      headers = {},
    }: { readonly code?: number; readonly data?: object; readonly headers?: Headers } = {},
  ) {
    super(message);
    this.reason = reason;
    this.status = status;
    this.code = code;
    this.data = data;
    this.headers = headers;
  }
}

const INTERNAL_ERROR = -32_603;

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
  /** Called with a size before that many bytes are sent; a rejection keeps them from being sent. */
  readonly admit?: (bytes: number) => Promise<void>;
}

/**
 * Writes a web response, and reports the bytes of its body as they are sent. Rejects with `Refusal` or as `admit` does:
 * nothing of a JSON answer has been sent then, and a stream stops after a whole chunk and the caller must end it. A client
 * that disconnects or stalls ends the answer without an error.
 */
export async function send(from: Response, to: ServerResponse, options: SendLimits): Promise<void> {
  const { headers = {}, last = () => '' } = options;
  const limits = {
    maxBytes: options.maxBytes,
    stallMs: options.stallMs ?? STALL_MS,
    admit: options.admit ?? (async () => {}),
  };
  const isStream = from.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // Whether the connection stays is this server's and its client's matter: the SDK's streams would always keep it.
  const { connection: _, ...own } = Object.fromEntries(from.headers);
  const head: Record<string, string> = { ...own, ...headers };
  if (isStream) {
    to.writeHead(from.status, head);
    to.flushHeaders();
    await stream(from, to, limits);
    end(to, last(), limits.stallMs);
    return;
  }
  const body = await collected(from, to, limits.maxBytes);
  await limits.admit(body.length);
  if (to.destroyed) return;
  to.writeHead(from.status, { ...head, 'content-length': String(body.length) });
  await write(body, to, limits.stallMs);
  end(to, '', limits.stallMs);
}

const tooLarge = (maxBytes: number) =>
  new Refusal('response', 500, `The answer is larger than ${maxBytes} bytes. Ask for less.`, {
    code: INTERNAL_ERROR,
  });

async function collected(from: Response, to: ServerResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(from, to)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function stream(
  from: Response,
  to: ServerResponse,
  { maxBytes, stallMs, admit }: Required<Pick<SendLimits, 'maxBytes' | 'stallMs' | 'admit'>>,
): Promise<void> {
  let bytes = 0;
  for await (const chunk of chunksOf(from, to)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    await admit(chunk.length);
    await write(chunk, to, stallMs);
  }
}

async function write(bytes: Uint8Array, to: ServerResponse, stallMs: number): Promise<void> {
  for (let at = 0; at < bytes.length && !to.destroyed; at += PIECE_BYTES)
    await written(to, bytes.subarray(at, at + PIECE_BYTES), stallMs);
}

/** Ends with the body or the client's connection; cancels the body if either the client or the consumer stops early. */
async function* chunksOf(from: Response, to: ServerResponse): AsyncGenerator<Uint8Array> {
  if (from.body === null) return;
  const reader = from.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  to.once('close', cancel);
  if (to.destroyed) cancel();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    to.off('close', cancel);
    await reader.cancel().catch(() => {});
  }
}

/** Sends the rest. A client that does not read it is disconnected. */
function end(to: ServerResponse, rest: string, stallMs: number): void {
  const timer = setTimeout(() => to.destroy(), stallMs).unref();
  to.once('close', () => clearTimeout(timer));
  to.end(rest);
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
