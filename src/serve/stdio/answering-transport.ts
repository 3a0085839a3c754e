/**
 * A stdio transport that answers all requests before it closes. The SDK's transport drops open requests when the input
 * ends, so `printf '…' | skillgate serve` would print nothing. It also answers lines that are no message, which the SDK's
 * skips. The SDK handles the messages.
 */

import type { Readable, Writable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, JSONRPCNotification, RequestId, Transport } from '@modelcontextprotocol/server';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isRecord } from '../../base/json.ts';
import { longPathIn } from '../../mcp/long-paths.ts';

/** Longest wait for answers after the input has ended, ms. */
const DRAIN_MS = 5_000;
/** Longest line that is checked, bytes: far more than a request needs. */
const CHECKED_BYTES = 2 ** 20;
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
  /** Between the input and the SDK's transport; it ends after the last answer. */
  readonly #relay = new PassThrough();
  readonly #inner: StdioServerTransport;
  readonly #output: Writable;
  readonly #unanswered = new Set<RequestId>();
  /** The unfinished line; null if it is too long to be checked. */
  #line: Buffer | null = Buffer.alloc(0);
  #drain: NodeJS.Timeout | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    const inner = new StdioServerTransport(this.#relay, output);
    this.#inner = inner;
    this.closed = new Promise((resolve) => {
      inner.onclose = () => {
        clearTimeout(this.#drain);
        this.#input.unpipe(this.#relay);
        this.onclose?.();
        resolve();
      };
    });
  }

  async start(): Promise<void> {
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      if (isJSONRPCRequest(message)) {
        const longPath = longPathIn(message);
        if (longPath !== undefined) return this.#refuse(message.id, longPath);
      }
      // The answer of a subscription is its end, so it is not awaited.
      if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen')
        this.#unanswered.add(message.id);
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        this.#forget(message);
      this.onmessage?.(message);
    };
    await this.#inner.start();
    this.#input.once('end', () => this.#ended());
    this.#input.once('close', () => this.#ended());
    this.#input.on('error', (error) => {
      this.onerror?.(error);
      this.#ended();
    });
    this.#input.on('data', (chunk: Buffer | string) => this.#check(Buffer.from(chunk)));
    if (this.#input.readableEnded || this.#input.destroyed) this.#ended();
    else this.#input.pipe(this.#relay, { end: false });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#inner.send(message);
    } finally {
      if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Answers each finished line that is no message. */
  #check(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#grow(chunk.subarray(from, end));
      const failure = this.#line === null ? null : failureOf(this.#line.toString());
      if (failure !== null) this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...failure })}\n`);
      this.#line = Buffer.alloc(0);
      from = end + 1;
    }
    this.#grow(chunk.subarray(from));
  }

  #grow(part: Buffer): void {
    if (this.#line === null || part.length === 0) return;
    const long = this.#line.length + part.length > CHECKED_BYTES;
    this.#line = long ? null : Buffer.concat([this.#line, part]);
  }

  /** After the end of the input: ends the relay now or after the last answer. */
  #ended(): void {
    if (this.#drain !== undefined) return;
    this.#drain = setTimeout(() => this.#relay.end(), DRAIN_MS);
    // The last message may have no newline.
    this.#check(Buffer.from('\n'));
    this.#relay.write('\n');
    // Requests may still be in the relay; they count once the SDK has read them.
    setImmediate(() => this.#endIfAnswered());
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#drain !== undefined) setImmediate(() => this.#endIfAnswered());
  }

  #refuse(id: RequestId, message: string): void {
    const error = { code: ProtocolErrorCode.InvalidParams, message };
    this.#inner.send({ jsonrpc: '2.0', id, error }).catch((cause) => this.onerror?.(cause));
  }

  /** A cancelled request gets no answer. */
  #forget({ params }: JSONRPCNotification): void {
    const id = params !== undefined && 'requestId' in params ? params.requestId : undefined;
    if (typeof id === 'string' || typeof id === 'number') this.#answered(id);
  }

  #endIfAnswered(): void {
    if (this.#unanswered.size === 0 && this.#relay.readableLength === 0) this.#relay.end();
  }
}

/** What JSON-RPC answers to a line that is no message; null for a message, and for an empty line. */
function failureOf(line: string) {
  if (line.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, error: { code: ProtocolErrorCode.ParseError, message: NOT_JSON } };
  }
  if (MESSAGES.some((isMessage) => isMessage(value))) return null;
  const id = isRecord(value) && ['string', 'number'].includes(typeof value.id) ? value.id : null;
  return { id, error: { code: ProtocolErrorCode.InvalidRequest, message: NO_MESSAGE } };
}

const MESSAGES = [
  isJSONRPCRequest,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  isJSONRPCErrorResponse,
] as const;
