/**
 * A stdio transport that answers all requests before it closes: the SDK's drops open requests when the input ends, so
 * `printf '…' | skillgate serve` would print nothing. It also answers lines that are no message, which the SDK's skips.
 */

import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isRecord } from '../../base/json.ts';
import { longPathIn } from '../../mcp/long-paths.ts';

/** Longest wait for answers after the input has ended, ms. */
const DRAIN_MS = 5_000;
/** Longest line, bytes, as in the SDK: far more than a request needs. */
const MAX_LINE_BYTES = 10 * 2 ** 20;
const NOT_JSON = 'Parse error: the line is not JSON. Send one JSON-RPC message a line.';
const NO_MESSAGE =
  'Invalid request: the line is no JSON-RPC 2.0 message. Send {"jsonrpc":"2.0","id":…,"method":"…","params":{…}}, one a line.';

export class AnsweringStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  /** Resolves when either side has closed the connection. Never rejects. */
  readonly closed: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #unanswered = new Set<RequestId>();
  /** Of the unfinished line. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #drain: NodeJS.Timeout | undefined;
  #isClosed = false;
  #resolve = () => {};

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async start(): Promise<void> {
    const failed = (error: Error) => this.onerror?.(error);
    this.#output.on('error', (error) => {
      if (!this.#isClosed) failed(error);
      void this.close();
    });
    this.#input.on('error', (error) => {
      failed(error);
      this.#ended();
    });
    this.#input.once('end', () => this.#ended());
    this.#input.once('close', () => this.#ended());
    if (this.#input.readableEnded || this.#input.destroyed) this.#ended();
    else this.#input.on('data', this.#read);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error instanceof Error) reject(error);
        else resolve();
        if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
      });
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#drain);
    this.#input.off('data', this.#read);
    this.onclose?.();
    this.#resolve();
  }

  readonly #read = (data: Buffer | string): void => {
    const chunk = Buffer.from(data);
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#take(chunk.subarray(from, end));
      from = end + 1;
    }
    this.#pieces.push(chunk.subarray(from));
    this.#bytes += chunk.length - from;
    if (this.#bytes <= MAX_LINE_BYTES) return;
    this.onerror?.(new Error(`A line has more than ${MAX_LINE_BYTES} bytes.`));
    void this.close();
  };

  /** The line that ends with these bytes. */
  #take(end: Buffer): void {
    const line = Buffer.concat([...this.#pieces, end]).toString();
    this.#pieces = [];
    this.#bytes = 0;
    const read = messageIn(line);
    if (read === null) return;
    if ('failure' in read) this.#refuse(read.failure);
    else this.#receive(read.message);
  }

  #receive(message: JSONRPCMessage): void {
    const longPath = isJSONRPCRequest(message) ? longPathIn(message) : undefined;
    if (isJSONRPCRequest(message) && longPath !== undefined) {
      const error = { code: ProtocolErrorCode.InvalidParams, message: longPath };
      this.#refuse({ id: message.id, error });
      return;
    }
    // The answer of a subscription is its end, so it is not awaited.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen')
      this.#unanswered.add(message.id);
    // A cancelled request gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') this.#answered(id);
    }
    this.onmessage?.(message);
  }

  #refuse(failure: Failure): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...failure })}\n`);
  }

  /** After the end of the input: closes now, or after the last answer. */
  #ended(): void {
    if (this.#drain !== undefined || this.#isClosed) return;
    this.#drain = setTimeout(() => this.close(), DRAIN_MS);
    // The last message may have no newline.
    this.#take(Buffer.alloc(0));
    setImmediate(() => this.#closeIfAnswered());
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#drain !== undefined) setImmediate(() => this.#closeIfAnswered());
  }

  #closeIfAnswered(): void {
    if (this.#unanswered.size === 0) void this.close();
  }
}

interface Failure {
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** The message of a line, or what JSON-RPC answers to one that is none; null for an empty line. */
function messageIn(
  line: string,
): { readonly message: JSONRPCMessage } | { readonly failure: Failure } | null {
  if (line.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { failure: { id: null, error: { code: ProtocolErrorCode.ParseError, message: NOT_JSON } } };
  }
  if (isMessage(value)) return { message: value };
  const id =
    isRecord(value) && (typeof value.id === 'string' || typeof value.id === 'number') ? value.id : null;
  return { failure: { id, error: { code: ProtocolErrorCode.InvalidRequest, message: NO_MESSAGE } } };
}

const isMessage = (value: unknown): value is JSONRPCMessage =>
  isJSONRPCRequest(value) ||
  isJSONRPCNotification(value) ||
  isJSONRPCResultResponse(value) ||
  isJSONRPCErrorResponse(value);
