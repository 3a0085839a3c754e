/** Ends exchanges whose token has expired or been revoked since they began. */

import type { ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';

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
