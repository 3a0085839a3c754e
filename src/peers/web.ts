/** Streamable HTTP to another MCP server: every answer is bounded, and so is every stream. */

import { type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { WebAddress } from './address.ts';
import { PeerError } from './errors.ts';
import { MAX_MESSAGE_BYTES, MAX_STREAM_BYTES } from './limits.ts';

/** A stream of notifications that broke is taken up again this often by the transport, then by the peer. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** Redirects are followed within the origin only: what goes elsewhere would take the headers along. */
export function webTransport(address: WebAddress, fetch: FetchLike): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(address.url), {
    fetch: bounded(fetch),
    requestInit: { headers: { ...address.headers } },
    redirectPolicy: 'same-origin',
    reconnectionOptions: RECONNECTION,
    onInsufficientScope: 'throw',
  });
}

/** The same fetch, whose bodies fail once they are too long. */
export function bounded(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const limit = init?.method === 'GET' ? MAX_STREAM_BYTES : MAX_MESSAGE_BYTES;
    let read = 0;
    const counted = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          read += chunk.length;
          if (read > limit)
            controller.error(new PeerError('PEER_FLOOD', `It sent an answer of more than ${limit} bytes.`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status, statusText, headers });
  };
}
