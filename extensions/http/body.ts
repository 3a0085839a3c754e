/** Reads a request's body, up to a limit, and what its messages are. */

import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { isDeeper, parseJson } from '../../src/base/json.ts';
import { withoutEmptyParams } from '../../src/mcp/request-params.ts';
import { nextTurn } from './requests.ts';

/** Most levels of lists and objects in one another: the arguments of tools have a handful. */
export const MAX_LEVELS = 100;

export interface Body {
  readonly text: string;
  /** Undefined if it is not JSON, or nested too deep. */
  readonly json: unknown;
  readonly bytes: number;
}

/**
 * Null if it is longer than `maxBytes`, or if `admit`, which gets the size of each piece before it is kept, resolves to
 * false. Rejects if the client disconnects.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  admit: (bytes: number) => Promise<boolean> = async () => true,
): Promise<Body | null> {
  if (Number(request.headers['content-length']) > maxBytes) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > maxBytes || !(await admit(chunk.length))) return null;
    chunks.push(chunk);
  }
  // However many bodies came at once, other events have their turn between two of them.
  await nextTurn();
  const text = Buffer.concat(chunks).toString('utf8');
  const json = isDeeper(text, MAX_LEVELS) ? undefined : withoutEmptyParams(parseJson(text));
  return { text, json, bytes };
}

/** Older revisions may send batches. */
const toMessages = (json: unknown): readonly unknown[] => (Array.isArray(json) ? json : [json]);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Number of messages, at least 1: each counts. */
export const messagesIn = ({ json }: Pick<Body, 'json'>): number => Math.max(1, toMessages(json).length);

/** Whether one of the messages has this method. */
export const asksFor = (json: unknown, method: string): boolean =>
  toMessages(json).some((message) => isObject(message) && 'method' in message && message.method === method);

/** Ids of the requests: notifications and answers of the client have none. */
export const requestIdsIn = (json: unknown): (string | number)[] =>
  toMessages(json).flatMap((message) => {
    if (!isObject(message) || !('method' in message) || !('id' in message)) return [];
    return typeof message.id === 'string' || typeof message.id === 'number' ? [message.id] : [];
  });

const CANCELLED = 'notifications/cancelled';
const cancellation = z.object({
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/** Ids of the requests that the messages cancel. */
export const cancelledIdsIn = (json: unknown): (string | number)[] =>
  toMessages(json).flatMap((message) =>
    isObject(message) && 'method' in message && message.method === CANCELLED
      ? (cancellation.safeParse(message).data?.params.requestId ?? [])
      : [],
  );

/** Whether a batch cancels a request of its own, which would then get no answer and keep its exchange open. */
export function cancelsItself({ json }: Pick<Body, 'json'>): boolean {
  const ids = new Set(requestIdsIn(json));
  return cancelledIdsIn(json).some((id) => ids.has(id));
}

/** The request's id; null for a batch or a notification. */
export function readRequestId({ json }: Pick<Body, 'json'>): string | number | null {
  const id = isObject(json) && 'id' in json ? json.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
