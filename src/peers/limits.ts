/** How much another server may say. What is over ends the connection, or the fetch: nothing is cut and kept. */

/**
 * Longest message or HTTP answer, bytes: a skill's files have 16 MiB together by the Skills extension's rules, which
 * base64 makes 22 MiB where that is one file.
 */
export const MAX_MESSAGE_BYTES = 32 * 2 ** 20;
/** Longest stream of notifications, bytes; it is opened again after that. */
export const MAX_STREAM_BYTES = 64 * 2 ** 20;
/** Most pages of one list. skillgate's own pages have 500 skills, the SDK's 50. */
export const MAX_PAGES = 2_000;

/** What nobody asked for, within one window: messages, and characters. Progress of many calls stays below. */
const NOISE_WINDOW_MS = 10_000;
const NOISE_MESSAGES = 5_000;
const NOISE_CHARACTERS = 16 * 2 ** 20;

/** Counts what a peer says without being asked. `now` is in ms. */
export class Noise {
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #messages = 0;
  #characters = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** False from where it is too much. */
  allows(characters: number): boolean {
    const now = this.#now();
    if (now - this.#since > NOISE_WINDOW_MS) {
      this.#since = now;
      this.#messages = 0;
      this.#characters = 0;
    }
    this.#messages += 1;
    this.#characters += characters;
    return this.#messages <= NOISE_MESSAGES && this.#characters <= NOISE_CHARACTERS;
  }
}
