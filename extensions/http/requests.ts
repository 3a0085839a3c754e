/** Open requests: what shutdown waits for, what one caller may have at once, whose turn it is, and whose token has ended. */

import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { withTimeout } from '../../src/base/timing.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';

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

/** How often tokens of open exchanges are checked, ms: with the token file's own interval, less than a second. */
const CHECK_MS = 300;

type End = () => void;

export class TokenWatch {
  readonly #isValid: (authInfo: AuthInfo) => Promise<boolean>;
  /** By token: callers with many streams are checked once. */
  readonly #open = new Map<string, { readonly authInfo: AuthInfo; readonly ends: Set<End> }>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(isValid: (authInfo: AuthInfo) => Promise<boolean>) {
    this.#isValid = isValid;
    this.#timer = setInterval(() => void this.#check(), CHECK_MS);
    this.#timer.unref();
  }

  /** Calls `end` when the token is no longer valid, unless the answer has ended by then. */
  add(authInfo: AuthInfo, response: ServerResponse, end: End): void {
    const { token } = authInfo;
    const watched = this.#open.get(token) ?? { authInfo, ends: new Set() };
    this.#open.set(token, watched);
    watched.ends.add(end);
    response.once('close', () => {
      watched.ends.delete(end);
      if (watched.ends.size === 0 && this.#open.get(token) === watched) this.#open.delete(token);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    for (const { authInfo, ends } of [...this.#open.values()])
      if (!(await this.#isValid(authInfo))) for (const end of [...ends]) end();
    this.#isChecking = false;
  }
}
