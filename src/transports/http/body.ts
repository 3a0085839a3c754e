/** Reading a request's body once, within its limit. */

import type { IncomingMessage } from 'node:http';

export interface Body {
  readonly text: string;
  /** Undefined where it is no JSON: what to answer then is the SDK's. */
  readonly json: unknown;
  readonly bytes: number;
}

/** Null where it is longer than `maxBytes`. Rejects where the client goes away. */
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

/** Messages that it holds: older revisions may send several at once, and each counts. */
export const messagesIn = ({ json }: Body): number => (Array.isArray(json) ? Math.max(1, json.length) : 1);

/** The id to answer, where there is exactly one. */
export function requestIdOf({ json }: Body): string | number | null {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
