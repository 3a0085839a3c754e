/**
 * One other MCP server, for as long as we know it: connected when first needed, connected again when it went away.
 * What is asked of it is for others: its skills in `catalog/sources/mcp/`, its tools in `tools.ts`.
 */

import type { Client } from '@modelcontextprotocol/client';
import { PeerError } from './errors.ts';
import { type Link, openLink, type PeerOptions } from './link.ts';
import { Notices, type PeerNotice } from './notices.ts';

/** Between attempts to connect again while somebody listens, ms: the first, and the longest after doubling. */
const RETRY_MS = [1_000, 300_000] as const;

export interface UseOptions {
  readonly signal?: AbortSignal | undefined;
  /** An answer that does not come in time says that the connection is of no use any more, not this one call. */
  readonly lateIsLost?: boolean;
}

/** A connection that is being made, or is there. */
interface Attempt {
  readonly link: Promise<Link>;
  readonly abort: AbortController;
}

export class Peer {
  readonly #options: PeerOptions;
  readonly #notices = new Notices();
  /** The one in use, and those given up that somebody still works with. */
  readonly #links = new Set<Link>();
  #attempt: Attempt | null = null;
  #retryMs: number = RETRY_MS[0];
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /**
   * Connects where needed and works with the connection. Rejects with a `PeerError`, with the signal's reason, or with
   * what the work throws of its own. Where the connection broke, the next use makes a new one.
   */
  async use<Result>(work: (client: Client) => Promise<Result>, options: UseOptions = {}): Promise<Result> {
    try {
      return await this.#use(work, options);
    } catch (error) {
      // Nothing was done for a session that the server no longer knows: it was started again, say.
      if (!(error instanceof PeerError && error.code === 'PEER_FORGOT')) throw error;
      return await this.#use(work, options);
    }
  }

  async #use<Result>(work: (client: Client) => Promise<Result>, options: UseOptions): Promise<Result> {
    const { signal, lateIsLost = false } = options;
    signal?.throwIfAborted();
    const { attempt, link } = await this.#linked(options);
    link.uses += 1;
    try {
      return await work(link.client);
    } catch (error) {
      const known = link.explain(error);
      const isLate = signal?.aborted === true || (known instanceof PeerError && known.code === 'PEER_SLOW');
      if (isLate ? lateIsLost : known instanceof PeerError && breaks(known)) this.#retire(attempt, link);
      throw signal?.aborted ? signal.reason : known;
    } finally {
      link.uses -= 1;
      closeUnused(link);
    }
  }

  async #linked({ signal, lateIsLost }: UseOptions) {
    for (;;) {
      const attempt = this.#attempted();
      try {
        const link = await orAborted(attempt.link, signal);
        // It may have been given up in between.
        if (!link.retired) return { attempt, link };
      } catch (error) {
        if (signal?.aborted && lateIsLost) this.#giveUp(attempt);
        throw error;
      }
    }
  }

  /** Tells of changes for as long as the server can be reached, and tells all once it is back; returns how to stop. */
  onNotice(notice: PeerNotice, listener: () => void): () => void {
    const stop = this.#notices.listen(notice, listener);
    if (!this.#closed) this.#attempted().link.catch(() => {});
    return stop;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#notices.close();
    const attempt = this.#attempt;
    if (attempt !== null) this.#giveUp(attempt);
    await attempt?.link.catch(() => {});
    await Promise.allSettled([...this.#links].map(({ client }) => client.close()));
  }

  #attempted(): Attempt {
    if (this.#closed) throw new PeerError('PEER_GONE', 'The connection was closed.');
    if (this.#attempt !== null) return this.#attempt;
    const abort = new AbortController();
    const attempt: Attempt = { link: openLink(this.#options, abort.signal), abort };
    this.#attempt = attempt;
    attempt.link.then(
      (link) => {
        this.#retryMs = RETRY_MS[0];
        this.#links.add(link);
        link.client.onclose = () => {
          this.#links.delete(link);
          if (!link.retired) this.#retire(attempt, link);
        };
        this.#notices.follow(link.client, () => this.#retire(attempt, link));
      },
      () => this.#giveUp(attempt),
    );
    return attempt;
  }

  /** The next use makes another one. */
  #giveUp(attempt: Attempt): void {
    attempt.abort.abort();
    if (this.#attempt === attempt) this.#attempt = null;
    this.#connectLater();
  }

  #retire(attempt: Attempt, link: Link): void {
    link.retired = true;
    this.#giveUp(attempt);
    closeUnused(link);
  }

  /** While somebody waits for notices, the server is looked for until it is back. */
  #connectLater(): void {
    if (this.#closed || !this.#notices.wanted || this.#retry !== undefined) return;
    const wait = this.#retryMs;
    this.#retryMs = Math.min(RETRY_MS[1], this.#retryMs * 2);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#attempt !== null) return;
      this.#attempted().link.then(
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
