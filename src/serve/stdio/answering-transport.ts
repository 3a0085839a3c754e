/**
 * A stdio transport that answers all requests before it closes: the SDK's drops open requests when the input ends, so
 * `printf '…' | skillgate serve` would print nothing. It also answers lines that are no message, which the SDK's skips.
 */

import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isRecord } from '../../base/json.ts';
import { longPathIn, paramsFault, withoutEmptyParams } from '../../mcp/request-params.ts';

/** Longest wait for answers after the input has ended, ms. */
const DRAIN_MS = 5_000;
/** Longest line, bytes, as in the SDK: far more than a request needs. */
const MAX_LINE_BYTES = 10 * 2 ** 20;
const NOT_JSON = 'Parse error: the line is not JSON. Send one JSON-RPC message per line.';
const TOO_LONG = `Invalid request: the line has more than ${MAX_LINE_BYTES} bytes. Send less at once.`;
const NO_MESSAGE =
  'Invalid request: the line is no JSON-RPC 2.0 message. Send {"jsonrpc":"2.0","id":…,"method":"…","params":{…}}, one per line.';

/** The one revision whose servers must take batches. */
const BATCHING = '2025-03-26';
const NO_BATCH = {
  code: ProtocolErrorCode.InvalidRequest,
  message: `Invalid request: the line is a list. Only revision ${BATCHING} has batches, and a batch holds JSON-RPC messages: send one message per line.`,
};

export class AnsweringStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  /** Resolves when either side has closed the connection. Never rejects. */
  readonly closed: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #unanswered = new Set<RequestId>();
  /** By the id of each request that is not answered. */
  readonly #batches = new Map<RequestId, Batch>();
  #initializeId: RequestId | undefined;
  /** The revision that was negotiated. */
  #revision: unknown;
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
    if ('result' in message && message.id === this.#initializeId)
      this.#revision = message.result.protocolVersion;
    const line = this.#lineFor(message);
    const done = () => {
      if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
    };
    if (line === null) {
      done();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(line)}\n`, (error) => {
        if (error instanceof Error) reject(error);
        else resolve();
        done();
      });
    });
  }

  /** The message, all answers of its batch, or null for one that waits for the others. */
  #lineFor(message: JSONRPCMessage): unknown {
    const id = 'method' in message ? undefined : message.id;
    const batch = id === undefined ? undefined : this.#batches.get(id);
    if (id === undefined || batch === undefined) return message;
    this.#batches.delete(id);
    batch.open.delete(id);
    batch.answers.push(message);
    return batch.open.size === 0 ? batch.answers : null;
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
    this.#hold(chunk.subarray(from));
  };

  /** Keeps a part of the unfinished line; of one that is too long nothing. */
  #hold(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= MAX_LINE_BYTES) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** The line that ends with these bytes. */
  #take(end: Buffer): void {
    this.#hold(end);
    const isTooLong = this.#bytes > MAX_LINE_BYTES;
    const line = Buffer.concat(this.#pieces).toString();
    this.#pieces = [];
    this.#bytes = 0;
    if (isTooLong) {
      this.onerror?.(new Error(TOO_LONG));
      this.#refuse({ id: null, error: { code: ProtocolErrorCode.InvalidRequest, message: TOO_LONG } });
      return;
    }
    const read = messagesIn(line, this.#revision === BATCHING);
    if (read === null) return;
    if ('failure' in read) {
      this.#refuse(read.failure);
      return;
    }
    if (read.isBatch) this.#openBatch(read.messages);
    for (const message of read.messages) this.#receive(message);
  }

  /** The answers to a batch are sent together, when the last one is there. */
  #openBatch(messages: readonly JSONRPCMessage[]): void {
    const ids = messages.filter(isRequest).map(({ id }) => id);
    const batch: Batch = { open: new Set(ids), answers: [] };
    for (const id of ids) this.#batches.set(id, batch);
  }

  #receive(message: JSONRPCMessage): void {
    if (isRequest(message)) {
      const fault = longPathIn(message) ?? paramsFault(message);
      if (fault !== undefined) {
        this.#refuse({ id: message.id, error: { code: ProtocolErrorCode.InvalidParams, message: fault } });
        return;
      }
      if (message.method === 'initialize') this.#initializeId = message.id;
      // The answer of a subscription is its end, so it is not awaited.
      if (message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      // A cancelled request gets no answer.
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') this.#answered(id);
    }
    this.onmessage?.(message);
  }

  #refuse(failure: Failure): void {
    const line = this.#lineFor({ jsonrpc: '2.0', ...failure } as JSONRPCMessage);
    if (line !== null) this.#output.write(`${JSON.stringify(line)}\n`);
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

interface Batch {
  readonly open: Set<RequestId>;
  readonly answers: JSONRPCMessage[];
}

type Line = { readonly messages: readonly JSONRPCMessage[]; readonly isBatch: boolean };

/** The messages of a line, or what JSON-RPC answers to one that has none; null for an empty line. */
function messagesIn(line: string, allowsBatch: boolean): Line | { readonly failure: Failure } | null {
  if (line.trim() === '') return null;
  let value: unknown;
  try {
    value = withoutEmptyParams(JSON.parse(line));
  } catch {
    return { failure: { id: null, error: { code: ProtocolErrorCode.ParseError, message: NOT_JSON } } };
  }
  if (isMessage(value)) return { messages: [value], isBatch: false };
  if (allowsBatch && Array.isArray(value) && value.length > 0 && value.every(isMessage))
    return { messages: value, isBatch: true };
  if (Array.isArray(value)) return { failure: { id: null, error: NO_BATCH } };
  const id =
    isRecord(value) && (typeof value.id === 'string' || typeof value.id === 'number') ? value.id : null;
  return { failure: { id, error: { code: ProtocolErrorCode.InvalidRequest, message: NO_MESSAGE } } };
}

/** Of a message, whose form is checked. */
const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  'method' in message && 'id' in message;

const isMessage = (value: unknown): value is JSONRPCMessage =>
  isJSONRPCRequest(value) ||
  isJSONRPCNotification(value) ||
  isJSONRPCResultResponse(value) ||
  isJSONRPCErrorResponse(value);
