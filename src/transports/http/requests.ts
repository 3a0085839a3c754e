/** Requests that somebody waits for an answer to, so that an end can wait for them. */

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Its answer ends only with the connection: nobody waits for it. The header is a must of the revision that has it. */
const SUBSCRIPTION = 'subscriptions/listen';

export const isSubscription = ({ headers }: IncomingMessage): boolean =>
  headers['mcp-method'] === SUBSCRIPTION;

export class Requests {
  readonly #open = new Set<ServerResponse>();
  #onSettled = () => {};

  add(request: IncomingMessage, response: ServerResponse): void {
    if (isSubscription(request)) return;
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#onSettled();
    });
  }

  /** Resolves when none is open, after `patienceMs` at the latest. */
  async settled(patienceMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#onSettled = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Streams that stay open, counted by who holds them: one caller must not take all that there are. */
export class Subscriptions {
  readonly #open = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** False where that caller has the most already. */
  add(who: string, response: ServerResponse): boolean {
    const open = this.#open.get(who) ?? 0;
    if (open >= this.#most) return false;
    this.#open.set(who, open + 1);
    response.once('close', () => {
      const left = (this.#open.get(who) ?? 1) - 1;
      if (left > 0) this.#open.set(who, left);
      else this.#open.delete(who);
    });
    return true;
  }
}
