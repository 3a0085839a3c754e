/** Open requests and subscriptions. Shutdown waits for open requests; subscriptions are limited per caller. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { withTimeout } from '../timing/public.ts';

/** Its answer ends only with the connection, so shutdown does not wait for it. Its revision requires the header. */
const SUBSCRIPTION = 'subscriptions/listen';

export const isSubscription = ({ headers }: IncomingMessage): boolean =>
  headers['mcp-method'] === SUBSCRIPTION;

export class OpenRequests {
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

  /** Resolves when no request is open, at the latest after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const settled = new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    await withTimeout(settled, timeoutMs, () => undefined);
  }
}

/** Open streams per caller: one caller must not use all connections. */
export class Subscriptions {
  readonly #open = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** False if the caller already has the most. */
  add(caller: string, response: ServerResponse): boolean {
    const open = this.#open.get(caller) ?? 0;
    if (open >= this.#most) return false;
    this.#open.set(caller, open + 1);
    response.once('close', () => {
      const left = (this.#open.get(caller) ?? 1) - 1;
      if (left > 0) this.#open.set(caller, left);
      else this.#open.delete(caller);
    });
    return true;
  }
}
