/** How much an upstream server may send. Anything over a limit ends the connection or the fetch; nothing is cut. */

/**
 * Longest message or HTTP answer, bytes: the Skills extension allows 16 MiB for a skill's files, which is 22 MiB in
 * base64 if that is one file.
 */
export const MAX_MESSAGE_BYTES = 32 * 2 ** 20;
/** Longest notification stream, bytes; after that it is opened again. */
export const MAX_STREAM_BYTES = 64 * 2 ** 20;
/** Most pages of one list. skillgate's own pages have 500 skills, the SDK's 50. */
export const MAX_PAGES = 2_000;

/** Unsolicited messages and characters per window. Progress notifications of many calls stay below that. */
const WINDOW_MS = 10_000;
const MAX_WINDOW_MESSAGES = 5_000;
const MAX_WINDOW_CHARACTERS = 16 * 2 ** 20;

/** Limits the messages that a server sends without a request. `now` is in ms. */
export class UnsolicitedBudget {
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #messages = 0;
  #characters = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a message. False once there are too many. */
  allows(characters: number): boolean {
    const now = this.#now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#messages = 0;
      this.#characters = 0;
    }
    this.#messages += 1;
    this.#characters += characters;
    return this.#messages <= MAX_WINDOW_MESSAGES && this.#characters <= MAX_WINDOW_CHARACTERS;
  }
}
