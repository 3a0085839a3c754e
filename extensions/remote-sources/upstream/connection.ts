/**
 * The connection to one upstream MCP server for as long as it is configured: opened when first needed, and opened again
 * after it broke. What is requested over it is up to others: skills in `mcp/`, tools in `tools.ts`.
 */

import type { Client } from '@modelcontextprotocol/client';
import { backoffMs, untilAborted } from '../../../src/base/timing.ts';
import { UpstreamError } from '../../../src/sources/upstream.ts';
import { type ChangedList, ChangeNotifications } from './notifications.ts';
import { openSession, type Session, type UpstreamOptions } from './session.ts';

/** First and longest pause between attempts to reconnect while there are listeners, ms. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** A session that lasted this long, ms, resets the pause; after shorter ones it goes on doubling. */
const STABLE_MS = 30_000;

export interface UseOptions {
  readonly signal?: AbortSignal | undefined;
  /** If true, a timeout means that the connection is broken, not only that this call failed. */
  readonly timeoutBreaks?: boolean;
}

/** A session that is being opened, or is open. */
interface Attempt {
  readonly session: Promise<Session>;
  readonly abort: AbortController;
  /** When the session opened, ms. */
  openedAt: number;
}

export class UpstreamConnection {
  readonly #options: UpstreamOptions;
  readonly #notifications = new ChangeNotifications();
  /** The current session, and retired ones that still have calls. */
  readonly #sessions = new Set<Session>();
  #attempt: Attempt | null = null;
  /** Reconnections since the last stable session. */
  #retries = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /**
   * Connects if necessary and calls `work` with the client. Rejects with an `UpstreamError`, with the signal's reason,
   * or with an error of `work` itself. If the connection broke, the next call opens a new one.
   */
  async use<Result>(work: (client: Client) => Promise<Result>, options: UseOptions = {}): Promise<Result> {
    try {
      return await this.#useOnce(work, options);
    } catch (error) {
      // The server no longer knows the session, after a restart for example, so it did nothing: safe to repeat.
      if (!(error instanceof UpstreamError && error.code === 'UPSTREAM_FORGOT')) throw error;
      return await this.#useOnce(work, options);
    }
  }

  async #useOnce<Result>(work: (client: Client) => Promise<Result>, options: UseOptions): Promise<Result> {
    const { signal, timeoutBreaks = false } = options;
    signal?.throwIfAborted();
    const { attempt, session } = await this.#openSession(options);
    session.uses += 1;
    try {
      return await work(session.client);
    } catch (error) {
      const known = session.explain(error);
      const timedOut =
        signal?.aborted === true || (known instanceof UpstreamError && known.code === 'UPSTREAM_SLOW');
      const isBroken = timedOut ? timeoutBreaks : known instanceof UpstreamError && breaksSession(known);
      if (isBroken) this.#retire(attempt, session);
      throw signal?.aborted ? signal.reason : known;
    } finally {
      session.uses -= 1;
      closeUnused(session);
    }
  }

  async #openSession({ signal, timeoutBreaks }: UseOptions) {
    for (;;) {
      const attempt = this.#currentAttempt();
      try {
        const session = await untilAborted(attempt.session, signal);
        // It may have been given up in the meantime.
        if (!session.retired) return { attempt, session };
      } catch (error) {
        if (signal?.aborted && timeoutBreaks) this.#giveUp(attempt);
        throw error;
      }
    }
  }

  /**
   * Calls `listener` when the server reports that the list changed, and after each reconnection. Returns how to stop.
   */
  onNotification(list: ChangedList, listener: () => void): () => void {
    const stop = this.#notifications.listen(list, listener);
    if (!this.#closed) this.#currentAttempt().session.catch(() => {});
    return stop;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    this.#notifications.close();
    const attempt = this.#attempt;
    if (attempt !== null) this.#giveUp(attempt);
    await attempt?.session.catch(() => {});
    await Promise.allSettled([...this.#sessions].map(({ client }) => client.close()));
  }

  #currentAttempt(): Attempt {
    if (this.#closed) throw new UpstreamError('UPSTREAM_GONE', 'The connection was closed.');
    if (this.#attempt !== null) return this.#attempt;
    const abort = new AbortController();
    const opening = openSession(this.#options, abort.signal);
    const attempt: Attempt = { session: opening, abort, openedAt: Number.POSITIVE_INFINITY };
    this.#attempt = attempt;
    opening.then(
      (session) => this.#opened(attempt, session),
      () => this.#giveUp(attempt),
    );
    return attempt;
  }

  #opened(attempt: Attempt, session: Session): void {
    attempt.openedAt = performance.now();
    this.#sessions.add(session);
    session.client.onclose = () => {
      this.#sessions.delete(session);
      if (!session.retired) this.#retire(attempt, session);
    };
    this.#notifications.subscribe(session.client, () => this.#retire(attempt, session));
  }

  /** The next call opens a new session. */
  #giveUp(attempt: Attempt): void {
    attempt.abort.abort();
    if (this.#attempt === attempt) this.#attempt = null;
    this.#reconnectLater();
  }

  #retire(attempt: Attempt, session: Session): void {
    session.retired = true;
    if (performance.now() - attempt.openedAt >= STABLE_MS) this.#retries = 0;
    this.#giveUp(attempt);
    closeUnused(session);
  }

  /** Reconnects while there are listeners, until the server is back. */
  #reconnectLater(): void {
    if (this.#closed || !this.#notifications.hasListeners || this.#retryTimer !== undefined) return;
    this.#retries += 1;
    this.#retryTimer = setTimeout(
      () => {
        this.#retryTimer = undefined;
        if (this.#attempt !== null) return;
        this.#currentAttempt().session.then(
          () => this.#notifications.notifyAll(),
          () => {},
        );
      },
      backoffMs(this.#retries, FIRST_RETRY_MS, LONGEST_RETRY_MS),
    );
    this.#retryTimer.unref();
  }
}

/** A refusal is an answer, and a timeout may concern one call only. */
const breaksSession = ({ code }: UpstreamError) =>
  code === 'UPSTREAM_UNREACHABLE' ||
  code === 'UPSTREAM_GONE' ||
  code === 'UPSTREAM_FLOOD' ||
  code === 'UPSTREAM_FORGOT';

function closeUnused({ client, retired, uses }: Session): void {
  if (retired && uses === 0) client.close().catch(() => {});
}
