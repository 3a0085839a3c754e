/** Reads a request's body, up to a limit. */

import type { IncomingMessage } from 'node:http';

export interface Body {
  readonly text: string;
  /** Undefined if it is not JSON; the SDK answers such requests. */
  readonly json: unknown;
  readonly bytes: number;
}

/** Null if it is longer than `maxBytes`. Rejects if the client disconnects. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body | null> {
  if (Number(request.headers['content-length']) > maxBytes) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { text, json: parsed(text), bytes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Number of messages: older revisions may send batches, and each message counts. */
export const messagesIn = ({ json }: Body): number => (Array.isArray(json) ? Math.max(1, json.length) : 1);

/** The request's id; null for a batch or a notification. */
export function requestIdOf({ json }: Body): string | number | null {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
