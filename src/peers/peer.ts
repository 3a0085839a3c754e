/**
 * One other MCP server, for as long as we know it: connected when first needed, connected again when it went away.
 * What is asked of it is for others: its skills in `catalog/sources/mcp/`, its tools in `tools.ts`.
 */

import { Client, type FetchLike } from '@modelcontextprotocol/client';
import { type PeerAddress, redactor } from './address.ts';
import { PeerError, peerErrorOf } from './errors.ts';
import { Notices, type PeerNotice } from './notices.ts';
import { PipeTransport } from './pipe.ts';
import { webTransport } from './web.ts';

/** Longest time until a server has said what it is, ms: `npx` may have to download it first. */
const CONNECT_MS = 60_000;
/** How long an old program may leave the first question of the newer protocol unanswered, ms. */
const PROBE_MS = 10_000;
/** Between attempts to connect again while somebody listens, ms: the first, and the longest after doubling. */
const RETRY_MS = [1_000, 300_000] as const;
/** Last words of a program that are told, characters. */
const LAST_WORDS = 300;
/** A failed attempt to connect answers for whoever asks within this time, ms: no storm of processes. */
const COOL_DOWN_MS = 500;

export interface PeerOptions {
  readonly address: PeerAddress;
  /** What goes over the network; it decides which addresses may be reached. */
  readonly fetch: FetchLike;
  /** Milliseconds, of a clock that only goes forward. */
  readonly now: () => number;
  /** Told to the server. */
  readonly version: string;
}

type Failure = { readonly error: PeerError; readonly at: number };

/** A connection, with what is known of why it may end. */
interface Link {
  readonly client: Client;
  /** The error as a `PeerError`, with the reason that the transport knows where that says more. */
  explain(error: unknown): PeerError;
  /** Those who work with it. */
  uses: number;
  /** True from when it is given up: nobody new gets it, and it is closed after the last who has it. */
  retired: boolean;
}

export class Peer {
  readonly #options: PeerOptions;
  readonly #redact: (text: string) => string;
  readonly #notices = new Notices();
  /** The one in use, and those given up that somebody still works with. */
  readonly #links = new Set<Link>();
  #connection: Promise<Link> | null = null;
  #failure: Failure | null = null;
  #retryMs: number = RETRY_MS[0];
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#redact = redactor(options.address);
  }

  /**
   * Connects where needed and works with the connection. Rejects with a `PeerError`, or with the signal's reason.
   * After anything but a plain refusal the connection is given up: the next use makes a new one.
   */
  async use<Result>(work: (client: Client) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await this.#use(work, signal);
    } catch (error) {
      // Nothing was done for a session that the server no longer knows: it was started again, say.
      if (!(error instanceof PeerError && error.code === 'PEER_FORGOT')) throw error;
      return await this.#use(work, signal);
    }
  }

  async #use<Result>(work: (client: Client) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    const connection = this.#connected();
    let link: Link | undefined;
    try {
      link = await orAborted(connection, signal);
      link.uses += 1;
      return await work(link.client);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const known = link?.explain(error) ?? peerErrorOf(error, this.#redact);
      if (link !== undefined && breaks(known)) this.#retire(connection, link);
      throw known;
    } finally {
      if (link !== undefined) {
        link.uses -= 1;
        closeUnused(link);
      }
    }
  }

  /** Gives the connection up, so that the next use makes a new one: where the peer is in no state to go on. */
  reset(): void {
    const connection = this.#connection;
    connection?.then((link) => this.#retire(connection, link)).catch(() => {});
  }

  /** Tells of changes for as long as the server can be reached, and tells all once it is back; returns how to stop. */
  onNotice(notice: PeerNotice, listener: () => void): () => void {
    const stop = this.#notices.listen(notice, listener);
    this.#connected().catch(() => {});
    return stop;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#notices.close();
    await this.#connection?.catch(() => {});
    this.#connection = null;
    await Promise.allSettled([...this.#links].map(({ client }) => client.close()));
  }

  #connected(): Promise<Link> {
    if (this.#closed) return Promise.reject(new PeerError('PEER_GONE', 'The connection was closed.'));
    if (this.#connection !== null) return this.#connection;
    const { now } = this.#options;
    if (this.#failure !== null && now() - this.#failure.at < COOL_DOWN_MS)
      return Promise.reject(this.#failure.error);
    const connection = this.#connect();
    this.#connection = connection;
    connection.then(
      () => {
        this.#failure = null;
        this.#retryMs = RETRY_MS[0];
      },
      (error: PeerError) => {
        this.#failure = { error, at: now() };
        if (this.#connection === connection) this.#connection = null;
        this.#connectLater();
      },
    );
    return connection;
  }

  async #connect(): Promise<Link> {
    const { address } = this.#options;
    try {
      return await this.#greet('auto');
    } catch (error) {
      // Some old programs end at the first method that they do not know: they are started again and asked nothing new.
      const ended = error instanceof PeerError && error.code !== 'PEER_FLOOD' && address.kind === 'program';
      if (!ended || this.#closed || error.code === 'PEER_UNREACHABLE') throw error;
      return await this.#greet('legacy');
    }
  }

  async #greet(mode: 'auto' | 'legacy'): Promise<Link> {
    const { address, fetch, now, version } = this.#options;
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
    const explain = (error: unknown): PeerError => {
      const known = fault ?? peerErrorOf(error, this.#redact);
      if (!(transport instanceof PipeTransport) || !transport.hasEnded || known.code === 'PEER_FLOOD')
        return known;
      // Cut after it was redacted: half a secret would not be recognised.
      const line = this.#redact(transport.lastWords).split('\n').at(-1)?.trim().slice(-LAST_WORDS) ?? '';
      const words = line === '' ? '' : ` Its last words were: ${JSON.stringify(line)}.`;
      return new PeerError(known.code, `${known.message}${words}`, known.data);
    };
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
    } catch (error) {
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      throw explain(error);
    }
    const link = { client, explain, uses: 0, retired: false };
    this.#links.add(link);
    client.onclose = () => {
      this.#links.delete(link);
      if (this.#closed || link.retired) return;
      if (fault !== undefined) this.#failure = { error: fault, at: this.#options.now() };
      this.#connection = null;
      this.#connectLater();
    };
    this.#notices.follow(client, () => this.reset());
    return link;
  }

  #retire(connection: Promise<Link>, link: Link): void {
    if (this.#connection === connection) this.#connection = null;
    link.retired = true;
    closeUnused(link);
    this.#connectLater();
  }

  /** While somebody waits for notices, the server is looked for until it is back. */
  #connectLater(): void {
    if (this.#closed || !this.#notices.wanted || this.#retry !== undefined) return;
    const wait = this.#retryMs;
    this.#retryMs = Math.min(RETRY_MS[1], this.#retryMs * 2);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#connection !== null) return;
      this.#connected().then(
        () => this.#notices.tellAll(),
        () => {},
      );
    }, wait);
    this.#retry.unref();
  }
}

/** A refusal is an answer, and one that does not come may be one call's affair. */
const breaks = ({ code }: PeerError) =>
  code === 'PEER_UNREACHABLE' || code === 'PEER_GONE' || code === 'PEER_FLOOD' || code === 'PEER_FORGOT';

function closeUnused({ client, retired, uses }: Link): void {
  if (retired && uses === 0) client.close().catch(() => {});
}

async function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    stop();
  }
}
