/**
 * One session with an upstream MCP server: its transport, the handshake in either protocol era, and why it failed. Pipes to a program
 * are in `stdio.ts`.
 */

import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { errorMessage } from '../../../src/base/errors.ts';
import { UpstreamError } from '../../../src/sources/upstream.ts';
import { type HttpAddress, redactor, type UpstreamAddress } from './address.ts';
import { toUpstreamError } from './error-mapping.ts';
import { MAX_MESSAGE_BYTES, StdioTransport } from './stdio.ts';

/** What upstream servers learn about us. They do not need the release's version. */
const CLIENT = { name: 'skillgate', version: '1' };
/** Longest handshake, ms: `npx` may have to download the server first. */
const CONNECT_MS = 60_000;
/** How long an old program may ignore the first request of the newer protocol, ms. */
const PROBE_MS = 10_000;
/** Longest quote of a program's stderr, characters. */
const STDERR_CHARACTERS = 300;

export interface UpstreamOptions {
  readonly address: UpstreamAddress;
  /** Used for all network requests; it decides which addresses are allowed. */
  readonly fetch: FetchLike;
}

export interface Session {
  readonly client: Client;
  /**
   * The error as an `UpstreamError`, with the transport's reason if that says more. Other errors are returned
   * unchanged.
   */
  explain(error: unknown): unknown;
  /** Calls that use it now. */
  uses: number;
  /** True once it is given up: new calls do not get it, and it is closed after its last call. */
  retired: boolean;
}

/** Rejects with `UpstreamError`. */
export async function openSession(options: UpstreamOptions, signal: AbortSignal): Promise<Session> {
  const { address } = options;
  try {
    return await connect(options, 'auto', signal);
  } catch (error) {
    // Some old programs exit at the first unknown method: start them again with the old handshake.
    const exited =
      error instanceof UpstreamError && error.code !== 'UPSTREAM_FLOOD' && address.kind === 'program';
    if (!exited || signal.aborted || error.code === 'UPSTREAM_UNREACHABLE') throw error;
    return await connect(options, 'legacy', signal);
  }
}

async function connect(
  { address, fetch }: UpstreamOptions,
  mode: 'auto' | 'legacy',
  signal: AbortSignal,
): Promise<Session> {
  const redact = redactor(address);
  const client = new Client(CLIENT, {
    versionNegotiation: { mode, ...(address.kind === 'program' && { probe: { timeoutMs: PROBE_MS } }) },
    // No validation: results are passed on unchanged, and the server's schemas may hold patterns that never end.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    inputRequired: { autoFulfill: false },
  });
  const transport = address.kind === 'program' ? new StdioTransport(address) : httpTransport(address, fetch);
  let transportError: UpstreamError | undefined;
  // The SDK throws only that the connection closed: remember the reason.
  client.onerror = (error) => {
    if (error instanceof UpstreamError) transportError ??= error;
  };
  const explain = (error: unknown): unknown => {
    const mapped = toUpstreamError(error, redact);
    if (mapped === null) return error;
    const known =
      transportError !== undefined && mapped.code !== 'UPSTREAM_REFUSED' ? transportError : mapped;
    if (!(transport instanceof StdioTransport) || !transport.hasExited || known.code === 'UPSTREAM_FLOOD')
      return known;
    // Cut after redacting: half a secret would not be recognised.
    const line = redact(transport.stderrEnd).split('\n').at(-1)?.trim().slice(-STDERR_CHARACTERS) ?? '';
    const quote = line === '' ? '' : ` The last line of its stderr: ${JSON.stringify(line)}.`;
    return new UpstreamError(known.code, `${known.message}${quote}`, { data: known.data });
  };
  const stop = () => transport.close().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(transport, { timeout: CONNECT_MS, signal });
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    if (signal.aborted) throw new UpstreamError('UPSTREAM_GONE', 'The connection was given up.');
    const known = explain(error);
    throw known instanceof UpstreamError
      ? known
      : new UpstreamError('UPSTREAM_UNREACHABLE', redact(errorMessage(known)), { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { client, explain, uses: 0, retired: false };
}

/** Longest notification stream, bytes; after that it is opened again. */
const MAX_STREAM_BYTES = 64 * 2 ** 20;
/** Reconnection of a broken notification stream by the transport; after that `UpstreamConnection` reconnects. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** Redirects are followed within the origin only, since the request's headers go along. */
function httpTransport(address: HttpAddress, fetch: FetchLike): StreamableHTTPClientTransport {
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
