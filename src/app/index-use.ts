/** Records while indexes and fetched copies of the cache are in use, so that they are not taken for unused, and removes those that are. */

import { messageOf } from '../base/errors.ts';
import { cleanDaily, type IndexPurpose, recordCopyUse, recordUse, removedText } from './cache.ts';

/** How often use is recorded, ms: far more often than indexes are removed. */
const RECORD_MS = 3_600_000;

export interface UsedIndex {
  /** Absolute. */
  readonly folder: string;
  readonly purpose: IndexPurpose;
}

export class IndexUse {
  readonly #used: readonly UsedIndex[];
  readonly #copies: readonly string[];
  readonly #cacheFolder: string;
  readonly #log: (message: string) => void;
  #timer: NodeJS.Timeout | null = null;
  #cleaning: Promise<void> = Promise.resolve();

  /** `copies`: absolute folders of fetched sources. */
  constructor(
    used: readonly UsedIndex[],
    copies: readonly string[],
    cacheFolder: string,
    log: (message: string) => void,
  ) {
    this.#used = used;
    this.#copies = copies;
    this.#cacheFolder = cacheFolder;
    this.#log = log;
  }

  /** Calls answer from the index from now on, until `close`. */
  begin(): void {
    if (this.#timer !== null) return;
    this.#record();
    // A server that nobody asks anything for months uses its index, too.
    this.#timer = setInterval(() => this.#record(), RECORD_MS).unref();
    this.#cleaning = this.#clean();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#cleaning;
  }

  #record(): void {
    const now = new Date();
    for (const { folder, purpose } of this.#used) recordUse(folder, purpose, now);
    for (const folder of this.#copies) recordCopyUse(folder, now);
  }

  async #clean(): Promise<void> {
    try {
      const removed = await cleanDaily(this.#cacheFolder, new Date());
      if (removed.length > 0)
        this.#log(`Removed ${removedText(removed)} from ${this.#cacheFolder} that nobody used for 60 days.`);
    } catch (error) {
      this.#log(`${this.#cacheFolder} could not be cleaned: ${messageOf(error)}`);
    }
  }
}
