/** Open requests: what shutdown waits for, what one caller may have at once, and whose turn it is. */

import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { withTimeout } from '../../base/timing.ts';
import type { Principal } from '../../gateway/policy/principal.ts';

export class OpenRequests {
  readonly #open = new Set<ServerResponse>();
  #onSettled = () => {};

  add(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => this.forget(response));
  }

  /** For a stream that ends only with its connection: shutdown does not wait for it. */
  forget(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size === 0) this.#onSettled();
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

/** Calls or streams that each caller has at once. */
export class Concurrency {
  readonly most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** Counts them until the answer has ended. False, and counts nothing, if the caller would have more than the most. */
  take({ id }: Principal, count: number, response: ServerResponse): boolean {
    const open = (this.#open.get(id) ?? 0) + count;
    if (open > this.most) return false;
    if (count === 0) return true;
    this.#open.set(id, open);
    response.once('close', () => {
      const left = (this.#open.get(id) ?? count) - count;
      if (left > 0) this.#open.set(id, left);
      else this.#open.delete(id);
    });
    return true;
  }
}

/** Turns of each key, with a pause between two: those of one address cannot take all of this thread's time. */
export class Pace {
  readonly #pauseMs: number;
  /** Of the keys that had a turn within the last pause, in order. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Resolves when it is this request's turn, or at once when its connection has ended. */
  turn(key: string, response: ServerResponse): Promise<void> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      const next = new Set<() => void>();
      this.#waiting.set(key, next);
      this.#pause(key, next);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const proceed = () => {
        waiting.delete(proceed);
        response.off('close', proceed);
        resolve();
      };
      waiting.add(proceed);
      response.once('close', proceed);
    });
  }

  #pause(key: string, waiting: ReadonlySet<() => void>): void {
    setTimeout(() => {
      const [next] = waiting;
      if (next === undefined) return void this.#waiting.delete(key);
      next();
      this.#pause(key, waiting);
    }, this.#pauseMs).unref();
  }
}

let turn: Promise<void> = Promise.resolve();

/** Resolves for one caller after another, with other events of the loop in between. */
export function nextTurn(): Promise<void> {
  turn = turn.then(() => setImmediate());
  return turn;
}
