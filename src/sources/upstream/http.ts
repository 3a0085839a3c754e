/** Streamable HTTP to an upstream MCP server, with a size limit on every answer and stream. */

import { type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HttpAddress } from './address.ts';
import { UpstreamError } from './errors.ts';
import { MAX_MESSAGE_BYTES, MAX_STREAM_BYTES } from './limits.ts';

/** Reconnection of a broken notification stream by the transport; after that `UpstreamConnection` reconnects. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** Redirects are followed within the origin only, since the request's headers go along. */
export function httpTransport(address: HttpAddress, fetch: FetchLike): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(address.url), {
    fetch: withSizeLimit(fetch),
    requestInit: { headers: { ...address.headers } },
    redirectPolicy: 'same-origin',
    reconnectionOptions: RECONNECTION,
    onInsufficientScope: 'throw',
  });
}

/** The same fetch, but a body that is too long fails. */
export function withSizeLimit(fetch: FetchLike): FetchLike {
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
            controller.error(
              new UpstreamError('UPSTREAM_FLOOD', `It sent an answer of more than ${limit} bytes.`),
            );
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status, statusText, headers });
  };
}
