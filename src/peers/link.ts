/** One connection to another MCP server: the handshake in either era, and why it failed where it did. */

import { Client, type FetchLike } from '@modelcontextprotocol/client';
import { type PeerAddress, redactor } from './address.ts';
import { PeerError, peerErrorOf } from './errors.ts';
import { PipeTransport } from './pipe.ts';
import { webTransport } from './web.ts';

/** Longest time until a server has said what it is, ms: `npx` may have to download it first. */
const CONNECT_MS = 60_000;
/** How long an old program may leave the first question of the newer protocol unanswered, ms. */
const PROBE_MS = 10_000;
/** Last words of a program that are told, characters. */
const LAST_WORDS = 300;

export interface PeerOptions {
  readonly address: PeerAddress;
  /** What goes over the network; it decides which addresses may be reached. */
  readonly fetch: FetchLike;
  /** Milliseconds, of a clock that only goes forward. */
  readonly now: () => number;
  /** Told to the server. */
  readonly version: string;
}

/** A connection, with what is known of why it may end. */
export interface Link {
  readonly client: Client;
  /** The error as a `PeerError`, with the reason that the transport knows where that says more; others as they are. */
  explain(error: unknown): unknown;
  /** Those who work with it. */
  uses: number;
  /** True from when it is given up: nobody new gets it, and it is closed after the last who has it. */
  retired: boolean;
}

/** Rejects with `PeerError`. */
export async function openLink(options: PeerOptions, signal: AbortSignal): Promise<Link> {
  const { address } = options;
  try {
    return await greet(options, 'auto', signal);
  } catch (error) {
    // Some old programs end at the first method that they do not know: they are started again and asked nothing new.
    const ended = error instanceof PeerError && error.code !== 'PEER_FLOOD' && address.kind === 'program';
    if (!ended || signal.aborted || error.code === 'PEER_UNREACHABLE') throw error;
    return await greet(options, 'legacy', signal);
  }
}

async function greet(
  { address, fetch, now, version }: PeerOptions,
  mode: 'auto' | 'legacy',
  signal: AbortSignal,
): Promise<Link> {
  const redact = redactor(address);
  const client = new Client(
    { name: 'skillgate', version },
    {
      versionNegotiation: { mode, ...(address.kind === 'program' && { probe: { timeoutMs: PROBE_MS } }) },
      // Its tools' results are passed on as they are, and its schemas may hold patterns that take for ever.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      inputRequired: { autoFulfill: false },
    },
  );
  const transport =
    address.kind === 'program' ? new PipeTransport(address, now) : webTransport(address, fetch);
  let fault: PeerError | undefined;
  // What is thrown in the end is only that the connection closed.
  client.onerror = (error) => {
    if (error instanceof PeerError) fault ??= error;
  };
  const explain = (error: unknown): unknown => {
    const plain = peerErrorOf(error, redact);
    if (plain === null) return error;
    const known = fault !== undefined && plain.code !== 'PEER_REFUSED' ? fault : plain;
    if (!(transport instanceof PipeTransport) || !transport.hasEnded || known.code === 'PEER_FLOOD')
      return known;
    // Cut after it was redacted: half a secret would not be recognised.
    const line = redact(transport.lastWords).split('\n').at(-1)?.trim().slice(-LAST_WORDS) ?? '';
    const words = line === '' ? '' : ` Its last words were: ${JSON.stringify(line)}.`;
    return new PeerError(known.code, `${known.message}${words}`, known.data);
  };
  const stop = () => transport.close().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(transport, { timeout: CONNECT_MS, signal });
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    if (signal.aborted) throw new PeerError('PEER_GONE', 'The connection was given up.');
    const known = explain(error);
    throw known instanceof PeerError ? known : new PeerError('PEER_UNREACHABLE', redact(String(known)));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { client, explain, uses: 0, retired: false };
}
