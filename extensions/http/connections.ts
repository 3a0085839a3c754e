/**
 * Which connections may stay. A connection is held while a request of an admitted caller is answered, and silent otherwise: the one that has
 * been silent longest gives way to a new one when there are too many. Node closes slow headers and idle connections itself;
 * what it does not count, such as a client that never closes its side, is closed here.
 */

import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { plain, toNetwork } from './addresses.ts';

/** How often connections are checked, ms. */
const CHECK_MS = 1_000;
/** Time for the first request's headers, ms: with a check after it, ten seconds. */
const FIRST_MS = 9_000;
/** Node answers with 408 a little earlier. */
const HEADERS_MS = 8_000;
/** Longest time to send a whole request, ms. */
const REQUEST_MS = 30_000;
/** Idle time of a connection, ms: a little longer than the usual idle time of proxies. */
const KEEP_ALIVE_MS = 65_000;
/** Node closes idle connections, but forgets those that send line breaks between requests. */
const SILENT_MS = KEEP_ALIVE_MS + 5_000;

/** Node's part. */
export const NODE_TIMEOUTS: ServerOptions = {
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_MS,
};

/** Connections above the most, for probes: no caller can hold them. */
const RESERVE = 32;
/** An address without an admitted caller has at most this part of all connections. */
const STRANGER_PART = 1 / 8;
/** Addresses of admitted callers that are remembered. */
const MAX_KNOWN = 10_000;

interface ConnectionOptions {
  /** Most connections that are held at the same time. */
  readonly max: number;
  /** Proxies have the connections of many clients, so their number is not limited. */
  readonly isTrusted: (address: string) => boolean;
  /** Called for each connection that is closed because of a limit, with a fixed reason. */
  readonly onReject: (reason: 'connections' | 'address') => void;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** When it was accepted, or its last request came or was answered. */
  silentSince: number;
  hasAsked: boolean;
  /** Answers that have not ended: clients may send requests without waiting for answers. */
  readonly answers: Set<ServerResponse>;
}

export class Connections {
  readonly #options: ConnectionOptions;
  readonly #now: () => number;
  /** Of those that are not held, the longest silent is the first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #held = new Set<Connection>();
  readonly #asking = new WeakMap<ServerResponse, Connection>();
  readonly #perNetwork = new Map<string, number>();
  readonly #known = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#timer = setInterval(() => this.closeSilent(), CHECK_MS);
    this.#timer.unref();
  }

  /** A connection was accepted. */
  add(socket: Socket): void {
    const address = plain(socket.remoteAddress ?? '');
    const network = toNetwork(address);
    const { max, isTrusted } = this.#options;
    const isStranger = !isTrusted(address) && !this.#known.has(network);
    const others = this.#perNetwork.get(network) ?? 0;
    if (isStranger && others >= Math.ceil(max * STRANGER_PART) && !this.#giveWay('address', network))
      return void socket.destroy();
    if (this.#open.size >= max + RESERVE) this.#giveWay('connections');
    const connection = {
      socket,
      network,
      silentSince: this.#now(),
      hasAsked: false,
      answers: new Set<ServerResponse>(),
    };
    this.#open.set(socket, connection);
    this.#perNetwork.set(network, others + 1);
    socket.once('close', () => {
      if (this.#open.get(socket) === connection) this.#open.delete(socket);
      this.#held.delete(connection);
      // Of an answer that waits for another one, Node does not say that it will never be sent.
      for (const answer of connection.answers) if (answer.socket === null) answer.destroy().emit('close');
      const left = (this.#perNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#perNetwork.set(network, left);
      else this.#perNetwork.delete(network);
    });
  }

  /** The headers of a request were read: its connection is silent again from now on, and from the end of the answer. */
  asked({ socket }: Pick<IncomingMessage, 'socket'>, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#asking.set(response, connection);
    const { answers } = connection;
    answers.add(response);
    const restart = () => {
      if (this.#open.get(socket) !== connection) return;
      this.#open.delete(socket);
      this.#open.set(socket, connection);
      connection.hasAsked = true;
      connection.silentSince = this.#now();
    };
    restart();
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) this.#held.delete(connection);
      restart();
    });
  }

  /** Holds the connection of an admitted caller until all its answers have ended. False: too many are held. */
  hold(response: ServerResponse): boolean {
    const connection = this.#asking.get(response);
    // It has been closed in the meantime.
    if (connection === undefined || connection.socket.destroyed) return true;
    const { network } = connection;
    if (!this.#held.has(connection) && this.#held.size >= this.#options.max) return false;
    this.#known.delete(network);
    this.#known.add(network);
    const [oldest = ''] = this.#known;
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest);
    this.#held.add(connection);
    return true;
  }

  /** Closes those that have been silent for too long. */
  closeSilent(): void {
    const now = this.#now();
    for (const connection of this.#open.values()) {
      const { socket, silentSince, hasAsked } = connection;
      if (!this.#held.has(connection) && now - silentSince > (hasAsked ? SILENT_MS : FIRST_MS))
        socket.destroy();
    }
  }

  closeAll(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  /** Closes the longest silent one, of a network or of all. False if there is none. */
  #giveWay(reason: 'connections' | 'address', network?: string): boolean {
    this.#options.onReject(reason);
    for (const [socket, connection] of this.#open) {
      if (this.#held.has(connection) || (network !== undefined && connection.network !== network)) continue;
      this.#open.delete(socket);
      connection.socket.destroy();
      return true;
    }
    return false;
  }
}
